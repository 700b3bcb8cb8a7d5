extension Cached {
    /// The value now, and then after each change to the entity or to anything that it refers to.
    ///
    /// See ``values(following:)``.
    public var values: CacheSequence<Value?> { values() }

    /// Returns the value now, and then after each change to the entity or to what it refers to.
    ///
    /// `nil` stands for an entity that is not there. A consumer that is slower than the commits gets
    /// the newest value and not those in between, and never an older value after a newer one. For
    /// every one of them use ``changes(following:buffering:)``.
    ///
    /// - Parameter following: How far the entity's relationships are followed.
    public func values(following: RelationshipDepth = .allRelationships) -> CacheSequence<Value?> {
        feed(following: following).sequence
    }

    /// Every change to the entity or to anything that it refers to.
    ///
    /// See ``changes(following:buffering:)``.
    public var changes: CacheSequence<EntityChange<Value>> { changes() }

    /// Returns every change to the entity or to what it refers to, in commit order.
    ///
    /// - Parameters:
    ///   - following: How far the entity's relationships are followed.
    ///   - policy: What is kept for a consumer that is slower than the commits. With `.unbounded` it
    ///     misses none.
    public func changes(
        following: RelationshipDepth = .allRelationships,
        buffering policy: BufferingPolicy = .unbounded
    ) -> CacheSequence<EntityChange<Value>> {
        CacheSequence(policy) { [id, core, table] sender in
            core.observe(
                id,
                in: table,
                initial: .never,
                following: following,
                wantsCauses: true,
                delivery: .inline
            ) { sender.send(.known($0)) }
        }
    }

    /// The entity's value, as the faces of observation need it.
    package func feed(following: RelationshipDepth) -> Feed<Value?> {
        Feed { [id, core, table] delivery, receive in
            core.observe(
                id,
                in: table,
                initial: .always,
                following: following,
                wantsCauses: false,
                delivery: delivery
            ) { receive(.known($0.new)) }
        }
    }
}
