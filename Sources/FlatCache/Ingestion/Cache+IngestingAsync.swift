// The compiler prefers asynchronous overloads in asynchronous functions. Disfavored, they are
// chosen for asynchronous closures alone, so that `cache.ingest { try decoder.decode(data) }` needs
// no `await` there.

extension Cache {
    /// Loads and decodes a response, and stores the entities that it contains in one commit.
    ///
    /// <!-- prelude: ingesting -->
    /// ```swift
    /// let page = try await cache.ingest { try await api.books(after: cursor) }
    /// ```
    ///
    /// Child tasks of the closure belong to the scope, so it can load several parts of a response
    /// concurrently. See ``ingest(modifiedAt:_:)-1qwxf`` for the entities that are stored, and for
    /// their order.
    ///
    /// ## Concurrency
    /// The closure runs on the actor of the caller. No lock is held while it runs, so it can
    /// suspend. If it throws an error, nothing is stored.
    ///
    /// - Parameters:
    ///   - stamp: The modification time of all entities in the response.
    ///   - isolation: The actor that the caller is isolated to.
    ///   - load: A closure that loads and decodes the response.
    /// - Returns: The closure's result.
    /// - Throws: Any error that the closure throws.
    @_disfavoredOverload
    @discardableResult
    public func ingest<Result, Stamp: Comparable & Sendable>(
        modifiedAt stamp: Stamp? = Never?.none,
        isolation: isolated (any Actor)? = #isolation,
        _ load: () async throws -> Result
    ) async rethrows -> Result {
        let ingestion = Ingestion(in: core, stamp.map(IngestionStamp.init))
        let result = try await ingestion.run(isolation: isolation) { _ in try await load() }
        ingestion.collectEntities(in: result)
        ingestion.store()
        return result
    }

    /// Loads and decodes a response, and stores the entities that it contains in one commit with
    /// other writes.
    ///
    /// <!-- prelude: ingesting -->
    /// ```swift
    /// try await cache.ingest {
    ///     try await api.books(after: cursor)
    /// } apply: { batch, page in
    ///     batch.list("books", of: Book.self).replace(withIDs: page.items.map(\.id))
    /// }
    /// ```
    ///
    /// See ``ingest(modifiedAt:_:)-1qwxf`` for the entities that are stored, and for their order.
    /// Inside the closure of another ingest, this method makes a separate commit.
    ///
    /// ## Concurrency
    /// `load` runs first, on the actor of the caller. No lock is held while it runs, so it can
    /// suspend. `apply` follows on the same actor, synchronously and under the writers' lock. The
    /// batch has stored the entities by then, and is valid on this thread until `apply` returns.
    ///
    /// If `load` throws an error, `apply` isn't called. If one of them throws, nothing is stored.
    ///
    /// - Parameters:
    ///   - stamp: The modification time of all entities in the response.
    ///   - isolation: The actor that the caller is isolated to.
    ///   - load: A closure that loads and decodes the response.
    ///   - apply: A closure that makes further writes of the same commit.
    /// - Returns: The result of `load`.
    /// - Throws: Any error that one of the closures throws.
    @_disfavoredOverload
    @discardableResult
    public func ingest<Result, Stamp: Comparable & Sendable>(
        modifiedAt stamp: Stamp? = Never?.none,
        isolation: isolated (any Actor)? = #isolation,
        _ load: () async throws -> Result,
        apply: (CacheBatch, Result) throws -> Void
    ) async rethrows -> Result {
        let ingestion = Ingestion(in: core, stamp.map(IngestionStamp.init))
        let result = try await ingestion.run(isolation: isolation) { _ in try await load() }
        ingestion.collectEntities(in: result)
        try ingestion.store { try apply($0, result) }
        return result
    }

    /// Loads and decodes a response in an explicit scope, and stores the entities that it contains
    /// in one commit.
    ///
    /// <!-- prelude: ingesting -->
    /// ```swift
    /// import Foundation
    ///
    /// let page = try await cache.ingest { ingestion in
    ///     let task = Task.detached {
    ///         let decoder = JSONDecoder()
    ///         decoder.userInfo[.ingestion] = ingestion
    ///         return try decoder.decode(Page.self, from: data)
    ///     }
    ///     return try await task.value
    /// }
    /// ```
    ///
    /// See ``ingest(modifiedAt:_:)-93chl`` for the scope, and ``ingest(modifiedAt:_:)-1qwxf`` for
    /// the order in which the entities are stored.
    ///
    /// ## Concurrency
    /// The closure runs on the actor of the caller. No lock is held while it runs, so it can
    /// suspend. Any thread can use the scope until the closure returns. If the closure throws an
    /// error, nothing is stored.
    ///
    /// - Parameters:
    ///   - stamp: The modification time of all entities in the response.
    ///   - isolation: The actor that the caller is isolated to.
    ///   - body: A closure that receives the scope, and loads and decodes the response.
    /// - Returns: The closure's result.
    /// - Throws: Any error that the closure throws.
    @_disfavoredOverload
    @discardableResult
    public func ingest<Result, Stamp: Comparable & Sendable>(
        modifiedAt stamp: Stamp? = Never?.none,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Ingestion) async throws -> Result
    ) async rethrows -> Result {
        let ingestion = Ingestion(explicitlyIn: core, stamp.map(IngestionStamp.init))
        let result = try await ingestion.run(isolation: isolation, body)
        ingestion.collectEntities(in: result)
        ingestion.store()
        return result
    }

    /// Loads and decodes a response in an explicit scope, and stores the entities that it contains
    /// in one commit with other writes.
    ///
    /// <!-- prelude: ingesting -->
    /// ```swift
    /// import Foundation
    ///
    /// try await cache.ingest { ingestion in
    ///     let task = Task.detached {
    ///         let decoder = JSONDecoder()
    ///         decoder.userInfo[.ingestion] = ingestion
    ///         return try decoder.decode(Page.self, from: data)
    ///     }
    ///     return try await task.value
    /// } apply: { batch, page in
    ///     batch.list("books", of: Book.self).replace(withIDs: page.items.map(\.id))
    /// }
    /// ```
    ///
    /// See ``ingest(modifiedAt:_:)-93chl`` for the scope. Inside the closure of another ingest,
    /// this method makes a separate commit.
    ///
    /// ## Concurrency
    /// `body` runs first, on the actor of the caller. No lock is held while it runs, so it can
    /// suspend. Any thread can use the scope until `body` returns. `apply` follows on the same
    /// actor, synchronously and under the writers' lock. The batch has stored the entities by then,
    /// and is valid on this thread until `apply` returns.
    ///
    /// If `body` throws an error, `apply` isn't called. If one of them throws, nothing is stored.
    ///
    /// - Parameters:
    ///   - stamp: The modification time of all entities in the response.
    ///   - isolation: The actor that the caller is isolated to.
    ///   - body: A closure that receives the scope, and loads and decodes the response.
    ///   - apply: A closure that makes further writes of the same commit.
    /// - Returns: The result of `body`.
    /// - Throws: Any error that one of the closures throws.
    @_disfavoredOverload
    @discardableResult
    public func ingest<Result, Stamp: Comparable & Sendable>(
        modifiedAt stamp: Stamp? = Never?.none,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Ingestion) async throws -> Result,
        apply: (CacheBatch, Result) throws -> Void
    ) async rethrows -> Result {
        let ingestion = Ingestion(explicitlyIn: core, stamp.map(IngestionStamp.init))
        let result = try await ingestion.run(isolation: isolation, body)
        ingestion.collectEntities(in: result)
        try ingestion.store { try apply($0, result) }
        return result
    }
}

// As in Cache+IngestingAsync.swift, these overloads are for asynchronous closures alone.

extension Cache {
    /// Loads and decodes a value, and stores it with the entities that it contains in one commit.
    ///
    /// See ``ingest(modifiedAt:isolation:_:)-oukh``, also for the actor of the closure.
    ///
    /// - Parameters:
    ///   - stamp: The modification time of all entities in the response.
    ///   - isolation: The actor that the caller is isolated to.
    ///   - load: A closure that loads and decodes the response.
    /// - Returns: The result of `load`.
    /// - Throws: Any error that the closure throws.
    @_disfavoredOverload
    @discardableResult
    public func ingest<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        modifiedAt stamp: Stamp? = Never?.none,
        isolation: isolated (any Actor)? = #isolation,
        _ load: () async throws -> Value
    ) async rethrows -> Value where Value.ID: Sendable {
        let ingestion = Ingestion(in: core, stamp.map(IngestionStamp.init))
        let result = try await ingestion.run(isolation: isolation) { _ in try await load() }
        ingestion.collect(result: result)
        ingestion.store()
        return result
    }

    /// Loads and decodes a value, and stores it with the entities that it contains in one commit
    /// with other writes.
    ///
    /// See ``ingest(modifiedAt:isolation:_:apply:)-8v5oi``, also for the actor of the closures.
    ///
    /// - Parameters:
    ///   - stamp: The modification time of all entities in the response.
    ///   - isolation: The actor that the caller is isolated to.
    ///   - load: A closure that loads and decodes the response.
    ///   - apply: A closure that makes further writes of the same commit.
    /// - Returns: The result of `load`.
    /// - Throws: Any error that one of the closures throws.
    @_disfavoredOverload
    @discardableResult
    public func ingest<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        modifiedAt stamp: Stamp? = Never?.none,
        isolation: isolated (any Actor)? = #isolation,
        _ load: () async throws -> Value,
        apply: (CacheBatch, Value) throws -> Void
    ) async rethrows -> Value where Value.ID: Sendable {
        let ingestion = Ingestion(in: core, stamp.map(IngestionStamp.init))
        let result = try await ingestion.run(isolation: isolation) { _ in try await load() }
        ingestion.collect(result: result)
        try ingestion.store { try apply($0, result) }
        return result
    }

    /// Loads and decodes values, and stores them with the entities that they contain in one commit.
    ///
    /// See ``ingest(modifiedAt:isolation:_:)-oukh``, also for the actor of the closure.
    ///
    /// - Parameters:
    ///   - stamp: The modification time of all entities in the response.
    ///   - isolation: The actor that the caller is isolated to.
    ///   - load: A closure that loads and decodes the response.
    /// - Returns: The result of `load`.
    /// - Throws: Any error that the closure throws.
    @_disfavoredOverload
    @discardableResult
    public func ingest<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        modifiedAt stamp: Stamp? = Never?.none,
        isolation: isolated (any Actor)? = #isolation,
        _ load: () async throws -> [Value]
    ) async rethrows -> [Value] where Value.ID: Sendable {
        let ingestion = Ingestion(in: core, stamp.map(IngestionStamp.init))
        let result = try await ingestion.run(isolation: isolation) { _ in try await load() }
        ingestion.collect(results: result)
        ingestion.store()
        return result
    }

    /// Loads and decodes values, and stores them with the entities that they contain in one commit
    /// with other writes.
    ///
    /// See ``ingest(modifiedAt:isolation:_:apply:)-8v5oi``, also for the actor of the closures.
    ///
    /// - Parameters:
    ///   - stamp: The modification time of all entities in the response.
    ///   - isolation: The actor that the caller is isolated to.
    ///   - load: A closure that loads and decodes the response.
    ///   - apply: A closure that makes further writes of the same commit.
    /// - Returns: The result of `load`.
    /// - Throws: Any error that one of the closures throws.
    @_disfavoredOverload
    @discardableResult
    public func ingest<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        modifiedAt stamp: Stamp? = Never?.none,
        isolation: isolated (any Actor)? = #isolation,
        _ load: () async throws -> [Value],
        apply: (CacheBatch, [Value]) throws -> Void
    ) async rethrows -> [Value] where Value.ID: Sendable {
        let ingestion = Ingestion(in: core, stamp.map(IngestionStamp.init))
        let result = try await ingestion.run(isolation: isolation) { _ in try await load() }
        ingestion.collect(results: result)
        try ingestion.store { try apply($0, result) }
        return result
    }
}
