extension Cache {
    /// Calls a closure on the observing actor with the latest value of an entity whenever the
    /// entity, or anything that it refers to, changes.
    ///
    /// See ``CacheSource/observe(isolation:initial:_:)``.
    public func observe<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        isolation actor: isolated (any Actor)?,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        _ body: @escaping (Value) -> Void
    ) -> Disposable where Value.ID: Sendable {
        cached(type, id: id)
            .following(following).observe(isolation: actor, initial: initial, body)
    }

    /// Calls a closure on the observing actor with each change to an entity, or to anything that it
    /// refers to, removals included.
    ///
    /// See ``CacheSource/observeChanges(isolation:_:)``.
    public func observeChanges<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        isolation actor: isolated (any Actor)?,
        following: RelationshipDepth = .allRelationships,
        _ body: @escaping (EntityChange<Value>) -> Void
    ) -> Disposable where Value.ID: Sendable {
        cached(type, id: id)
            .following(following).observeChanges(isolation: actor, body)
    }

    /// Calls a closure on the observing actor with the latest value of an entity whenever the
    /// entity, or anything that it refers to, changes.
    ///
    /// See ``CacheSource/observe(isolation:initial:_:)``.
    ///
    /// The cache uses only the value's identifier, and doesn't store the value.
    public func observe<Value: Identifiable & Sendable>(
        _ value: Value,
        isolation actor: isolated (any Actor)?,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        _ body: @escaping (Value) -> Void
    ) -> Disposable where Value.ID: Sendable {
        cached(value)
            .following(following).observe(isolation: actor, initial: initial, body)
    }

    /// Calls a closure on the observing actor with each change to an entity, or to anything that it
    /// refers to, removals included.
    ///
    /// See ``CacheSource/observeChanges(isolation:_:)``.
    ///
    /// The cache uses only the value's identifier, and doesn't store the value.
    public func observeChanges<Value: Identifiable & Sendable>(
        _ value: Value,
        isolation actor: isolated (any Actor)?,
        following: RelationshipDepth = .allRelationships,
        _ body: @escaping (EntityChange<Value>) -> Void
    ) -> Disposable where Value.ID: Sendable {
        cached(value)
            .following(following).observeChanges(isolation: actor, body)
    }

    /// Calls a closure on the observing actor with the changes that each commit makes to the
    /// entities of a type.
    ///
    /// ```swift
    /// @MainActor
    /// final class StockScreen {
    ///     private var observation: Disposable?
    ///
    ///     init() {
    ///         observation = cache.observeAll(Book.self, isolation: #isolation) { commit in
    ///             print("\(commit.changes.count) books have changed")
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// ## Concurrency
    /// As for ``CacheSource/observe(isolation:initial:_:)``.
    ///
    /// - Parameters:
    ///   - type: The type under which the entities are stored.
    ///   - actor: The actor that the caller is isolated to: `#isolation`.
    ///   - initial: If `true`, the closure is called first with the present entities.
    ///   - body: A closure that is called once per commit that changes an entity of the type.
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

    /// Calls a closure on the observing actor with the latest value of an alias's target whenever
    /// the alias changes its target, or the target or anything that it refers to changes.
    ///
    /// ## Concurrency
    /// As for ``CacheSource/observe(isolation:initial:_:)``. The closure receives the value
    /// that is the latest at the time of the call.
    ///
    /// - Parameters:
    ///   - alias: The alias. It needs no target yet.
    ///   - actor: The actor that the caller is isolated to: `#isolation`.
    ///   - initial: If `true`, the closure is called first with the current value or `nil`.
    ///   - following: The depth to which the observation follows the target's relationships.
    ///   - body: A closure that receives the value, or `nil` if the alias has no target or the
    ///     target has no value.
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
