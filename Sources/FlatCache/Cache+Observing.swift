extension Cache {
    /// Calls a closure with the latest value of an entity whenever the entity, or anything that it
    /// refers to at any depth, changes.
    ///
    /// The value is the one that the commit has left. To become stale is a change, too, with the
    /// same value. The entity need not exist yet, nor what it refers to. A removal has no value to
    /// hand over: use ``observeChanges(_:id:initial:following:delivery:_:)`` to hear of it.
    ///
    /// ## Concurrency
    /// The closure is called under no lock, once per commit, in commit order, one call at a time
    /// for the whole cache and, within one commit, in the order in which the observations were
    /// made. The committing thread calls it before its own call returns, unless another thread, or a
    /// callback further up its stack, is delivering; then that one may. It may read, write and
    /// observe: its writes are committed at once, and their notifications follow when it has returned.
    ///
    /// Observing waits for no other thread. The observation counts from a version that is visible
    /// during this call: the initial call shows that version, and all later commits notify the
    /// observer, after the initial call.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    ///   - initial: Whether the closure is called at once with the value that is there, if there is
    ///     one. This call is delivered like all others: before this returns, unless another thread
    ///     is delivering, which then makes it, or this comes from inside a callback or a batch,
    ///     after which it is made.
    ///   - following: How far the entity's relationships are followed.
    ///   - delivery: Where and when the closure is called.
    ///   - body: Called with the latest value.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    @inlinable
    public func observe<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> Disposable where Value.ID: Sendable {
        core.observe(
            id,
            in: core.tables.table(of: type),
            initial: CacheCore.InitialCall(initial),
            following: following,
            wantsCauses: false,
            delivery: delivery
        ) { change in
            if let value = change.new { body(value) }
        }
    }

    /// Calls a closure with the latest value of an entity whenever the entity, or anything that it
    /// refers to at any depth, changes.
    ///
    /// See ``observe(_:id:initial:following:delivery:_:)``.
    ///
    /// - Parameters:
    ///   - value: A value with the entity's identifier; it is not stored.
    ///   - initial: Whether the closure is called at once with the value that is there, if there is
    ///     one.
    ///   - following: How far the entity's relationships are followed.
    ///   - delivery: Where and when the closure is called.
    ///   - body: Called with the latest value.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    @inlinable
    public func observe<Value: Identifiable & Sendable>(
        _ value: Value,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> Disposable where Value.ID: Sendable {
        observe(
            Value.self,
            id: value.id,
            initial: initial,
            following: following,
            delivery: delivery,
            body
        )
    }

    /// Calls a closure with each change to an entity or to anything that it refers to at any depth,
    /// removals included.
    ///
    /// A change that lies in the entity itself is `.inserted`, `.updated`, `.removed` or
    /// `.expired`; if only something that it refers to has changed, it is `.related`.
    ///
    /// ## Concurrency
    /// As for ``observe(_:id:initial:following:delivery:_:)``.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    ///   - initial: Whether the closure is called at once with the value that is there, if there is
    ///     one, as if it had just been inserted.
    ///   - following: How far the entity's relationships are followed.
    ///   - delivery: Where and when the closure is called.
    ///   - body: Called with each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    @inlinable
    public func observeChanges<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (EntityChange<Value>) -> Void
    ) -> Disposable where Value.ID: Sendable {
        core.observe(
            id,
            in: core.tables.table(of: type),
            initial: CacheCore.InitialCall(initial),
            following: following,
            wantsCauses: true,
            delivery: delivery,
            body
        )
    }

    /// Calls a closure with each change to an entity or to anything that it refers to at any depth,
    /// removals included.
    ///
    /// See ``observeChanges(_:id:initial:following:delivery:_:)``.
    ///
    /// - Parameters:
    ///   - value: A value with the entity's identifier; it is not stored.
    ///   - initial: Whether the closure is called at once with the value that is there, if there is
    ///     one, as if it had just been inserted.
    ///   - following: How far the entity's relationships are followed.
    ///   - delivery: Where and when the closure is called.
    ///   - body: Called with each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    @inlinable
    public func observeChanges<Value: Identifiable & Sendable>(
        _ value: Value,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (EntityChange<Value>) -> Void
    ) -> Disposable where Value.ID: Sendable {
        observeChanges(
            Value.self,
            id: value.id,
            initial: initial,
            following: following,
            delivery: delivery,
            body
        )
    }
}

extension Cache {
    /// Calls a closure with what each commit has done to the entities of a type.
    ///
    /// ```swift
    /// let observation = cache.observeAll(Book.self) { commit in
    ///     print("\(commit.inserted.count) new, \(commit.removed.count) gone")
    /// }
    /// ```
    ///
    /// Changes to related entities aren't reported. The observation keeps no entity when
    /// ``pruneUnobservedValues()`` is called.
    ///
    /// ## Concurrency
    /// As for ``observe(_:id:initial:following:delivery:_:)``; among the calls of one commit this one
    /// has its place by when the observation was made, too.
    ///
    /// - Parameters:
    ///   - type: The type under which the entities are stored.
    ///   - initial: Whether the closure is called at first with an insertion of each entity that is
    ///     there, if there is any: with no gap before the first commit that it receives. The calls of
    ///     commits wait until the entities have been collected.
    ///   - delivery: Where and when the closure is called.
    ///   - body: Called once per commit that changes an entity of the type.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: The initial call takes O(*n*) in the number of entities of the type. Each commit takes O(*n*) in the number of entities of the type that it changes;
    ///   all observers of the type share the result.
    @inlinable
    public func observeAll<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        initial: Bool = false,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (_ commit: TypeChanges<Value>) -> Void
    ) -> Disposable where Value.ID: Sendable {
        core.observeAll(
            of: core.tables.table(of: type),
            initial: initial,
            delivery: delivery,
            body
        )
    }
}
