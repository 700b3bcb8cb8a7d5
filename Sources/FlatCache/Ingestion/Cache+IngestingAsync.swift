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
    /// concurrently. See `ingest(modifiedAt:_:)` for the order in which entities
    /// are stored.
    ///
    /// ## Concurrency
    /// The closure runs on the actor of the caller.
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
    /// See `ingest(modifiedAt:_:apply:)`. The second closure is synchronous,
    /// because it runs under the writers' lock.
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
    /// See `ingest(modifiedAt:_:)`.
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
    /// See `ingest(modifiedAt:_:apply:)`.
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
