// Results that aren't `CacheEntity` are found at compile time only. These overloads differ from the
// general ones in the type of the result alone.

extension Cache {
    /// Decodes a value, and stores it with the entities that it contains in one commit.
    ///
    /// See ``ingest(modifiedAt:_:)-1qwxf``, also for the thread of the closure.
    ///
    /// - Parameters:
    ///   - stamp: The modification time of all entities in the response.
    ///   - decode: A closure that decodes the response.
    /// - Returns: The result of `decode`.
    /// - Throws: Any error that the closure throws.
    @discardableResult
    public func ingest<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        modifiedAt stamp: Stamp? = Never?.none,
        _ decode: () throws -> Value
    ) rethrows -> Value where Value.ID: Sendable {
        let ingestion = Ingestion(in: core, stamp.map(IngestionStamp.init))
        let result = try ingestion.run { _ in try decode() }
        ingestion.collect(result: result)
        ingestion.store()
        return result
    }

    /// Decodes a value, and stores it with the entities that it contains in one commit with other
    /// writes.
    ///
    /// See ``ingest(modifiedAt:_:apply:)-294kj``, also for the threads of the closures.
    ///
    /// - Parameters:
    ///   - stamp: The modification time of all entities in the response.
    ///   - decode: A closure that decodes the response.
    ///   - apply: A closure that makes further writes of the same commit.
    /// - Returns: The result of `decode`.
    /// - Throws: Any error that one of the closures throws.
    @discardableResult
    public func ingest<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        modifiedAt stamp: Stamp? = Never?.none,
        _ decode: () throws -> Value,
        apply: (CacheBatch, Value) throws -> Void
    ) rethrows -> Value where Value.ID: Sendable {
        let ingestion = Ingestion(in: core, stamp.map(IngestionStamp.init))
        let result = try ingestion.run { _ in try decode() }
        ingestion.collect(result: result)
        try ingestion.store { try apply($0, result) }
        return result
    }

    /// Decodes values, and stores them with the entities that they contain in one commit.
    ///
    /// See ``ingest(modifiedAt:_:)-1qwxf``, also for the thread of the closure.
    ///
    /// - Parameters:
    ///   - stamp: The modification time of all entities in the response.
    ///   - decode: A closure that decodes the response.
    /// - Returns: The result of `decode`.
    /// - Throws: Any error that the closure throws.
    @discardableResult
    @inlinable
    public func ingest<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        modifiedAt stamp: Stamp? = Never?.none,
        _ decode: () throws -> [Value]
    ) rethrows -> [Value] where Value.ID: Sendable {
        try ingest(modifiedAt: stamp, decode, preparedBy: { $0.prepareCollection(of: Value.self) })
    }

    /// Decodes values, and stores them with the entities that they contain in one commit with other
    /// writes.
    ///
    /// See ``ingest(modifiedAt:_:apply:)-294kj``, also for the threads of the closures.
    ///
    /// - Parameters:
    ///   - stamp: The modification time of all entities in the response.
    ///   - decode: A closure that decodes the response.
    ///   - apply: A closure that makes further writes of the same commit.
    /// - Returns: The result of `decode`.
    /// - Throws: Any error that one of the closures throws.
    @discardableResult
    @inlinable
    public func ingest<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        modifiedAt stamp: Stamp? = Never?.none,
        _ decode: () throws -> [Value],
        apply: (CacheBatch, [Value]) throws -> Void
    ) rethrows -> [Value] where Value.ID: Sendable {
        try ingest(
            modifiedAt: stamp,
            decode,
            preparedBy: { $0.prepareCollection(of: Value.self) },
            apply: apply
        )
    }
}

// The functions that store an array are specialized in the client, because a closure of the client
// creates the buffer of its elements.

extension Cache {
    @usableFromInline
    func ingest<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        modifiedAt stamp: Stamp?,
        _ decode: () throws -> [Value],
        preparedBy prepare: (Ingestion) -> Void
    ) rethrows -> [Value] where Value.ID: Sendable {
        let ingestion = Ingestion(in: core, stamp.map(IngestionStamp.init))
        prepare(ingestion)
        let result = try ingestion.run { _ in try decode() }
        ingestion.collect(results: result)
        ingestion.store()
        return result
    }

    @usableFromInline
    func ingest<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        modifiedAt stamp: Stamp?,
        _ decode: () throws -> [Value],
        preparedBy prepare: (Ingestion) -> Void,
        apply: (CacheBatch, [Value]) throws -> Void
    ) rethrows -> [Value] where Value.ID: Sendable {
        let ingestion = Ingestion(in: core, stamp.map(IngestionStamp.init))
        prepare(ingestion)
        let result = try ingestion.run { _ in try decode() }
        ingestion.collect(results: result)
        try ingestion.store { try apply($0, result) }
        return result
    }
}
