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
