extension Cache {
    /// Returns an entity, after loading it if it's missing or stale.
    ///
    /// ```swift
    /// let book = try await cache.load(Book.self, id: 1) { try await api.book(1) }
    /// ```
    ///
    /// All concurrent loads of an entity share one call and its answer, even if their methods and
    /// closures differ. The closure is the scope of an ingest: its result and all entities that are
    /// decoded in it are stored in one commit. Don't change anything on the server in it: a load
    /// that joins another one doesn't call it. See <doc:OptimisticUpdates>.
    ///
    /// A late answer undoes nothing. If another write stores an entity after the call has begun,
    /// the cache keeps the stored value, and the answer fills in the parts that it lacks if the
    /// type is ``Mergeable``. An entity that was removed remains removed, and an entity that was
    /// invalidated remains stale. This holds for all entities of the answer. See
    /// <doc:LoadingInDepth#Late-answers>.
    ///
    /// ## Concurrency
    /// The closure runs in a separate task that inherits the priority and the task-local values of
    /// the first caller. Cancelling a caller's task ends only that caller's wait. When the last
    /// caller has left, the closure's task is cancelled, and nothing is stored. The closure must
    /// not load the same entity: it would wait for itself. The method waits for no writer. The task
    /// of the call does, before it calls the closure and when it stores the answer.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    ///   - policy: The rule by which the load uses the stored value.
    ///   - requirement: A closure that returns whether a value is whole. A stored value for which
    ///     it returns `false` counts as missing, so that a list's row doesn't answer for the
    ///     detail. It may be called on any thread.
    ///   - failureMemory: The time for which an error, or the lack of the entity, is remembered.
    ///     Until then, loads don't repeat the call. By default, the next load repeats it.
    ///   - fetch: A closure that requests the entity, and returns `nil` if it doesn't exist.
    /// - Returns: The stored value, or the answer if a later write keeps it from being stored;
    ///   `nil` if the entity doesn't exist.
    /// - Throws: The error that the closure throws, in all loads that wait for it; with every
    ///   policy, the error of a durable or replicated type whose storage can't be asked for a
    ///   missing entity; ``LoadError/unexpectedEntity(_:requested:)`` if the value has another
    ///   identifier; ``LoadError/cycle(_:)`` in a closure that would wait for itself;
    ///   `CancellationError` if the calling task is cancelled.
    @inlinable
    public func load<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        policy: LoadPolicy = .cacheFirst,
        requiring requirement: (@Sendable (Value) -> Bool)? = nil,
        rememberingFailures failureMemory: Duration? = nil,
        _ fetch: @escaping @Sendable () async throws -> Value?
    ) async throws -> Value? where Value.ID: Sendable {
        try await core.load(
            id,
            in: core.tables.table(of: type),
            LoadOptions(policy: policy, requirement: requirement)
        ) {
            EntityLoader(rememberingFailures: failureMemory) { scope, _ in
                scope.prepareCollection(of: Value.self)
                return LoadedEntities(try await fetch().map { [$0] } ?? [])
            }
        }
    }

    /// Returns entities, after loading the missing and stale ones.
    ///
    /// ```swift
    /// let books = try await cache.load(Book.self, ids: [1, 2, 3]) { missing in
    ///     try await api.books(missing)
    /// }
    /// ```
    ///
    /// The closure receives the identifiers that have to be loaded and that no other call is
    /// loading. If there are none, it isn't called. With ``LoadPolicy/staleWhileRevalidate``, the
    /// method waits only for missing entities. See
    /// ``load(_:id:policy:requiring:rememberingFailures:_:)`` for concurrent loads, late answers
    /// and cancellation.
    ///
    /// - Parameters:
    ///   - type: The type under which the entities are stored.
    ///   - ids: The entities' identifiers.
    ///   - policy: The rule by which the load uses the stored values.
    ///   - requirement: A closure that returns whether a value is whole.
    ///   - failureMemory: The time for which errors, and the lack of entities, are remembered.
    ///   - fetch: A closure that requests entities, and leaves out the ones that don't exist.
    /// - Returns: The values of the entities that exist.
    /// - Throws: The errors of ``load(_:id:policy:requiring:rememberingFailures:_:)``. An error of
    ///   one call ends the whole load. If an answer contains an entity that wasn't requested,
    ///   nothing of it is stored.
    /// - Complexity: O(*n*) in the number of identifiers.
    @inlinable
    public func load<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        ids: some Sequence<Value.ID>,
        policy: LoadPolicy = .cacheFirst,
        requiring requirement: (@Sendable (Value) -> Bool)? = nil,
        rememberingFailures failureMemory: Duration? = nil,
        _ fetch: @escaping @Sendable (_ missing: [Value.ID]) async throws -> [Value]
    ) async throws -> [Value.ID: Value] where Value.ID: Sendable {
        try await core.load(
            Array(ids),
            in: core.tables.table(of: type),
            LoadOptions(policy: policy, requirement: requirement),
            by: EntityLoader(rememberingFailures: failureMemory) { scope, ids in
                scope.prepareCollection(of: Value.self)
                return LoadedEntities(try await fetch(ids))
            }
        )
    }
}
