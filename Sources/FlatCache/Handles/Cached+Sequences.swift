extension Cached {
    /// A sequence of the entity's values: the present one, and one after each change to the entity
    /// or to anything that it refers to.
    ///
    /// ```swift
    /// for await book in cache.cached(Book.self, id: 1).values {
    ///     print(book?.title ?? "removed")
    /// }
    /// ```
    ///
    /// See ``values(following:)``.
    public var values: CacheSequence<Value?> { values() }

    /// Returns a sequence of the entity's values: the present one, and one after each change to the
    /// entity or to anything that it refers to.
    ///
    /// ```swift
    /// for await book in cache.cached(Book.self, id: 1).values(following: .none) {
    ///     print(book?.title ?? "removed")
    /// }
    /// ```
    ///
    /// `nil` stands for a missing entity. A consumer that is slower than the commits receives the
    /// newest value without those in between, and never an older value after a newer one. To
    /// receive every value, use ``changes(following:buffering:)``.
    ///
    /// - Parameter following: The depth to which the observation follows the entity's
    ///   relationships.
    public func values(following: RelationshipDepth = .allRelationships) -> CacheSequence<Value?> {
        stateSource(following: following).sequence
    }

    /// A sequence of all changes to the entity or to anything that it refers to.
    ///
    /// See ``changes(following:buffering:)``.
    public var changes: CacheSequence<EntityChange<Value>> { changes() }

    /// Returns a sequence of all changes to the entity or to anything that it refers to, in commit
    /// order.
    ///
    /// ```swift
    /// for await change in cache.cached(Book.self, id: 1).changes() {
    ///     print(change.kind, change.new?.title ?? "")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - following: The depth to which the observation follows the entity's relationships.
    ///   - policy: The elements to keep for a consumer that is slower than the commits. With
    ///     `.unbounded`, the consumer receives all of them.
    public func changes(
        following: RelationshipDepth = .allRelationships,
        buffering policy: BufferingPolicy = .unbounded
    ) -> CacheSequence<EntityChange<Value>> {
        CacheSequence(policy) { [self] sender in
            observe(
                initial: .never,
                following: following,
                wantsCauses: true,
                delivery: .inline
            ) { sender.send(.known($0)) }
        }
    }

    /// Returns a source of the entity's value, on which the sequences and other forms of
    /// observation are built.
    package func stateSource(following: RelationshipDepth) -> StateSource<Value?> {
        StateSource { [self] delivery, receive in
            observe(
                initial: .always,
                following: following,
                wantsCauses: false,
                delivery: delivery
            ) { receive(.known($0.new)) }
        }
    }
}
