extension Cache {
    /// Calls a closure on the actor that observes with the latest value of an entity whenever the
    /// entity, or anything that it refers to, changes.
    ///
    /// See ``Cached/observe(isolation:initial:following:_:)``.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    ///   - actor: The actor that the caller is isolated to: `#isolation`.
    ///   - initial: Whether the closure is called at first with the present value, if there is one.
    ///   - following: How far the entity's relationships are followed.
    ///   - body: Called with the latest value.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    public func observe<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        isolation actor: isolated (any Actor)?,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        _ body: @escaping (Value) -> Void
    ) -> Disposable where Value.ID: Sendable {
        cached(type, id: id)
            .observe(isolation: actor, initial: initial, following: following, body)
    }

    /// Calls a closure on the actor that observes with each change to an entity, or to anything that
    /// it refers to, removals included.
    ///
    /// See ``Cached/observeChanges(isolation:initial:following:_:)``.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    ///   - actor: The actor that the caller is isolated to: `#isolation`.
    ///   - initial: Whether the closure is called at first with the present value, if there is one.
    ///   - following: How far the entity's relationships are followed.
    ///   - body: Called with each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    public func observeChanges<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        isolation actor: isolated (any Actor)?,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        _ body: @escaping (EntityChange<Value>) -> Void
    ) -> Disposable where Value.ID: Sendable {
        cached(type, id: id)
            .observeChanges(isolation: actor, initial: initial, following: following, body)
    }

    /// Calls a closure on the actor that observes with the latest value of an entity whenever the
    /// entity, or anything that it refers to, changes.
    ///
    /// See ``Cached/observe(isolation:initial:following:_:)``.
    ///
    /// - Parameters:
    ///   - value: A value with the entity's identifier; it is not stored.
    ///   - actor: The actor that the caller is isolated to: `#isolation`.
    ///   - initial: Whether the closure is called at first with the present value, if there is one.
    ///   - following: How far the entity's relationships are followed.
    ///   - body: Called with the latest value.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    public func observe<Value: Identifiable & Sendable>(
        _ value: Value,
        isolation actor: isolated (any Actor)?,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        _ body: @escaping (Value) -> Void
    ) -> Disposable where Value.ID: Sendable {
        cached(value)
            .observe(isolation: actor, initial: initial, following: following, body)
    }

    /// Calls a closure on the actor that observes with each change to an entity, or to anything that
    /// it refers to, removals included.
    ///
    /// See ``Cached/observeChanges(isolation:initial:following:_:)``.
    ///
    /// - Parameters:
    ///   - value: A value with the entity's identifier; it is not stored.
    ///   - actor: The actor that the caller is isolated to: `#isolation`.
    ///   - initial: Whether the closure is called at first with the present value, if there is one.
    ///   - following: How far the entity's relationships are followed.
    ///   - body: Called with each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    public func observeChanges<Value: Identifiable & Sendable>(
        _ value: Value,
        isolation actor: isolated (any Actor)?,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        _ body: @escaping (EntityChange<Value>) -> Void
    ) -> Disposable where Value.ID: Sendable {
        cached(value)
            .observeChanges(isolation: actor, initial: initial, following: following, body)
    }

    /// Calls a closure on the actor that observes with what each commit has done to the entities of a
    /// type.
    ///
    /// ## Concurrency
    /// As for ``Cached/observe(isolation:initial:following:_:)``.
    ///
    /// - Parameters:
    ///   - type: The type under which the entities are stored.
    ///   - actor: The actor that the caller is isolated to: `#isolation`.
    ///   - initial: Whether the closure is called at first with the entities that are there.
    ///   - body: Called once per commit that changes an entity of the type.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    public func observeAll<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        isolation actor: isolated (any Actor)?,
        initial: Bool = false,
        _ body: @escaping (_ commit: TypeChanges<Value>) -> Void
    ) -> Disposable where Value.ID: Sendable {
        let body = IsolatedBody(of: actor, body)
        return observeAll(
            type,
            initial: initial,
            delivery: .isolated(toCaller: actor, of: "observeAll(_:isolation:_:)")
        ) { body($0) }
    }

    /// Calls a closure on the actor that observes with the latest value of the entity that an alias
    /// points to, whenever the alias is pointed elsewhere, or the entity or anything that it refers to
    /// changes.
    ///
    /// ## Concurrency
    /// As for ``Cached/observe(isolation:initial:following:_:)``; the value is the latest that is there
    /// when the closure is called.
    ///
    /// - Parameters:
    ///   - alias: The alias, which may point nowhere yet.
    ///   - actor: The actor that the caller is isolated to: `#isolation`.
    ///   - initial: Whether the closure is called at first.
    ///   - following: How far the relationships of the entity are followed.
    ///   - body: Called with the value; with `nil` if the alias points nowhere or there is no value.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    public func observe<Value: Identifiable & Sendable>(
        _ alias: CachedAlias<Value>,
        isolation actor: isolated (any Actor)?,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        _ body: @escaping (Value?) -> Void
    ) -> Disposable where Value.ID: Sendable {
        let body = IsolatedBody(of: actor, body)
        return observe(
            alias,
            initial: initial,
            following: following,
            delivery: .isolated(toCaller: actor, of: "observe(_:isolation:…)")
        ) { body($0) }
    }
}
