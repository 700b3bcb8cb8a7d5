extension Cache {
    /// Sets the loader of a type in place of the previous one.
    ///
    /// ```swift
    /// cache.setLoader(for: Book.self) { ids in try await api.books(ids) }
    /// let book = try await cache.load(Book.self, id: 1)
    /// ```
    ///
    /// ``load(_:id:policy:requiring:)``, ``load(_:ids:policy:requiring:)`` and the handles of
    /// ``Cached/loading(_:requiring:)`` use the loader. The identifiers that are requested within a
    /// few milliseconds are gathered into one call.
    ///
    /// The running calls for entities of the type continue for their callers, but later loads don't
    /// join them. A call that still gathers identifiers uses the new loader, several times if it
    /// has more than `maximum` of them. The remembered failures of the type are forgotten, and
    /// handles that pause after a failure load at once.
    ///
    /// With a requirement, these loads and handles count a ``CacheStaleness`` of a ``Mergeable``
    /// type from the latest write whose own value, before it was merged, was whole. Everything else
    /// counts from the latest write. See <doc:FreshnessAndLoading#Keep-whole-values-fresh>.
    ///
    /// ## Concurrency
    /// The method waits for no other thread. The closure runs in a separate task, as described by
    /// ``load(_:id:policy:requiring:rememberingFailures:_:)``. The cache retains the closure. If
    /// the closure retains an object that retains the cache, neither of them is deallocated.
    ///
    /// - Parameters:
    ///   - type: The type of the entities.
    ///   - pause: The time for which a call waits for further identifiers, on the cache's clock. If
    ///     it's zero, each load makes its own calls.
    ///   - maximum: The maximum number of identifiers of a call, one or more.
    ///   - requirement: A closure that returns whether a value is whole, for all loads by this
    ///     loader. It may be called on any thread, and under the writers' lock. It may read the
    ///     cache but not change it.
    ///   - failureMemory: The time for which errors, and the lack of entities, are remembered. By
    ///     default, the next load repeats the call.
    ///   - fetch: A closure that requests entities by their distinct identifiers. Entities that
    ///     don't exist are left out of its result.
    /// - Complexity: O(*n*) in the number of entities and requests that are being loaded, and of
    ///   remembered failures.
    @inlinable
    public func setLoader<Value: Identifiable & Sendable>(
        for type: Value.Type,
        gathering pause: Duration = .milliseconds(5),
        atMost maximum: Int = 100,
        requiring requirement: (@Sendable (Value) -> Bool)? = nil,
        rememberingFailures failureMemory: Duration? = nil,
        _ fetch: @escaping @Sendable (_ ids: [Value.ID]) async throws -> [Value]
    ) where Value.ID: Sendable {
        core.setLoader(
            in: requirement == nil ? nil : core.tables.table(of: type),
            gathering: pause,
            atMost: maximum,
            requirement,
            failureMemory
        ) { scope, ids in
            scope.prepareCollection(of: Value.self)
            return LoadedEntities(try await fetch(ids))
        }
    }

    /// Sets the loader of a type to a closure that answers for each identifier.
    ///
    /// ```swift
    /// cache.setLoader(for: Book.self) { ids in
    ///     var results: [Book.ID: Result<Book?, any Error>] = [:]
    ///     for id in ids {
    ///         do {
    ///             results[id] = .success(try await api.book(id))
    ///         } catch {
    ///             results[id] = .failure(error)
    ///         }
    ///     }
    ///     return results
    /// }
    /// ```
    ///
    /// An entity that is `nil` in the result, or left out of it, doesn't exist. An error in the
    /// result fails only the loads of its identifier, and the cache stores the other entities. An
    /// error that the closure throws, an entity under another identifier than its own, or one that
    /// wasn't requested fails the loads of all identifiers in the call.
    ///
    /// See ``setLoader(for:gathering:atMost:requiring:rememberingFailures:_:)`` for the parameters
    /// and the other rules.
    @_disfavoredOverload
    @inlinable
    public func setLoader<Value: Identifiable & Sendable>(
        for type: Value.Type,
        gathering pause: Duration = .milliseconds(5),
        atMost maximum: Int = 100,
        requiring requirement: (@Sendable (Value) -> Bool)? = nil,
        rememberingFailures failureMemory: Duration? = nil,
        results fetch:
            @escaping @Sendable (_ ids: [Value.ID]) async throws -> [Value.ID: Result<
                Value?, any Error
            >]
    ) where Value.ID: Sendable {
        core.setLoader(
            in: requirement == nil ? nil : core.tables.table(of: type),
            gathering: pause,
            atMost: maximum,
            requirement,
            failureMemory
        ) { scope, ids in
            scope.prepareCollection(of: Value.self)
            return try LoadedEntities(try await fetch(ids))
        }
    }

    /// Returns an entity, after loading it by the loader of its type if it's missing or stale.
    ///
    /// ```swift
    /// cache.setLoader(for: Book.self) { ids in try await api.books(ids) }
    /// let book = try await cache.load(Book.self, id: 1)
    /// ```
    ///
    /// See ``load(_:id:policy:requiring:rememberingFailures:_:)``. A type without a loader is a
    /// programmer error and traps.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    ///   - policy: The rule by which the load uses the stored value.
    ///   - requirement: A closure that returns whether a value is whole. The loader's own
    ///     requirement applies too.
    /// - Returns: The stored value, or the answer if a later write keeps it from being stored;
    ///   `nil` if the entity doesn't exist.
    /// - Throws: The errors of ``load(_:id:policy:requiring:rememberingFailures:_:)``.
    @inlinable
    public func load<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        policy: LoadPolicy = .cacheFirst,
        requiring requirement: (@Sendable (Value) -> Bool)? = nil
    ) async throws -> Value? where Value.ID: Sendable {
        try await core.loadRegistered(
            id,
            in: core.tables.table(of: type),
            LoadOptions(policy: policy, requirement: requirement)
        )
    }

    /// Returns entities, after loading missing or stale ones by the loader of their type.
    ///
    /// ```swift
    /// cache.setLoader(for: Book.self) { ids in try await api.books(ids) }
    /// let books = try await cache.load(Book.self, ids: 1...20)
    /// ```
    ///
    /// See ``load(_:ids:policy:requiring:rememberingFailures:_:)``. A type without a loader is a
    /// programmer error and traps.
    ///
    /// - Parameters:
    ///   - type: The type under which the entities are stored.
    ///   - ids: The entities' identifiers.
    ///   - policy: The rule by which the load uses the stored values.
    ///   - requirement: A closure that returns whether a value is whole. The loader's own
    ///     requirement applies too.
    /// - Returns: The values of the entities that exist.
    /// - Throws: The errors of ``load(_:id:policy:requiring:rememberingFailures:_:)``.
    /// - Complexity: O(*n*) in the number of identifiers.
    @inlinable
    public func load<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        ids: some Sequence<Value.ID>,
        policy: LoadPolicy = .cacheFirst,
        requiring requirement: (@Sendable (Value) -> Bool)? = nil
    ) async throws -> [Value.ID: Value] where Value.ID: Sendable {
        try await core.loadRegistered(
            Array(ids),
            in: core.tables.table(of: type),
            LoadOptions(policy: policy, requirement: requirement)
        )
    }
}
