extension Cached {
    /// Calls a closure on the observing actor with the latest value whenever the entity, or
    /// anything that it refers to, changes.
    ///
    /// ```swift
    /// @MainActor
    /// final class BookTitle {
    ///     private(set) var text = ""
    ///     private var observation: Disposable?
    ///
    ///     init(book: Cached<Book>) {
    ///         observation = book.observe(isolation: #isolation, initial: true) {
    ///             [weak self] book in
    ///             self?.text = book.title
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// ## Concurrency
    /// The closure is called on the actor, later than the commit but in commit order, once per
    /// commit, one call at a time. After ``Disposable/dispose()`` returns, no call starts. If you
    /// dispose on the actor itself, the last call has also ended by then. The initial call, if
    /// there is one, is delivered in the same way.
    ///
    /// The observation doesn't retain the actor, so the actor can hold the token. After the actor
    /// is deallocated, the closure is no longer called. The thread that disposes of the token
    /// releases the closure, if no call is in progress. If the closure holds the last reference to
    /// an object whose `deinit` must run on the actor, dispose on the actor.
    ///
    /// - Parameters:
    ///   - actor: The actor that the caller is isolated to: `#isolation`. Calling the method
    ///     outside of any actor is a programmer error and traps.
    ///   - initial: If `true`, the closure is called first with the current value, if there is one.
    ///   - following: The depth to which the observation follows the entity's relationships.
    ///   - body: A closure that receives the latest value.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    public func observe(
        isolation actor: isolated (any Actor)?,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        _ body: @escaping (Value) -> Void
    ) -> Disposable {
        let body = IsolatedBody(of: actor, body)
        return observe(
            initial: initial,
            following: following,
            delivery: .isolated(toCaller: actor, of: "observe(isolation:…)")
        ) { body($0) }
    }

    /// Calls a closure on the observing actor with each change to the entity or to anything that it
    /// refers to, removals included.
    ///
    /// ```swift
    /// @MainActor
    /// final class BookScreen {
    ///     private var observation: Disposable?
    ///
    ///     init(_ book: Cached<Book>) {
    ///         observation = book.observeChanges(isolation: #isolation) { [weak self] change in
    ///             if change.kind.isRemoval { self?.close() }
    ///         }
    ///     }
    ///
    ///     func close() {}
    /// }
    /// ```
    ///
    /// See ``observe(isolation:initial:following:_:)`` and
    /// ``Cache/observeChanges(_:id:initial:following:delivery:_:)``.
    public func observeChanges(
        isolation actor: isolated (any Actor)?,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        _ body: @escaping (EntityChange<Value>) -> Void
    ) -> Disposable {
        let body = IsolatedBody(of: actor, body)
        return observeChanges(
            initial: initial,
            following: following,
            delivery: .isolated(toCaller: actor, of: "observeChanges(isolation:…)")
        ) { body($0) }
    }
}

extension CacheDelivery {
    /// Returns the delivery to the actor that called an operation.
    ///
    /// The delivery doesn't retain the actor.
    static func isolated(toCaller actor: (any Actor)?, of operation: StaticString) -> CacheDelivery
    {
        guard let actor else {
            preconditionFailure(
                """
                \(operation) was called outside of any actor, so there is no actor to call back. \
                Call it from an actor, or use the method without isolation.
                """
            )
        }
        return CacheDelivery { [weak actor] work in
            // After the actor is deallocated, its pending work only releases its closures: an
            // `IsolatedBody` doesn't call a closure whose actor is gone.
            guard let actor else { return work() }
            Task.detached { await run(work, on: actor) }
        }
    }
}

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
