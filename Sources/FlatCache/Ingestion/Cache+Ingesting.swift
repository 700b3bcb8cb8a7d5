extension Cache {
    /// Decodes a response, and stores the entities that it contains in one commit.
    ///
    /// <!-- prelude: ingesting -->
    /// ```swift
    /// let page = try cache.ingest { try decoder.decode(Page.self, from: data) }
    /// ```
    ///
    /// While the closure runs, a ``Related`` that decodes a whole entity hands it over to be stored
    /// and keeps the identifier. The result of the closure is stored too if it's a ``CacheEntity``,
    /// or an optional, array, set or dictionary of such entities. A tuple isn't, and neither is an
    /// optional array or a dictionary of values that are only `Identifiable`: hand these to
    /// ``Ingestion/collect(contentsOf:)``. Every `Decoder` works.
    ///
    /// > Important: In the struct of a response, declare `var items: [Related<Book>]`. The books of
    /// > a plain property `var items: [Book]` are decoded, but not stored. The cache reports them
    /// > to ``CacheConfiguration/onDiagnostic``, once for each type of result.
    ///
    /// The entities are stored as by ``set(contentsOf:)``, in one commit, after the closure has
    /// returned. Within a type, they are stored in the order in which they end in the document: an
    /// entity that is embedded in another one comes before that one, and the result comes last. If
    /// an entity occurs several times, its values are merged in this order. If the closure throws
    /// an error, nothing is stored.
    ///
    /// Inside the closure of another ingest of the same cache, the entities belong to the commit of
    /// the outer ingest. Inside a batch of the same cache, they belong to the batch.
    ///
    /// ## Concurrency
    /// The closure runs at once, on the calling thread. Outside a batch, it runs without the
    /// writers' lock: decoding a long response delays no other writer. In `Task.detached` and in
    /// the callbacks of dispatch queues, references don't find the scope: use
    /// ``ingest(modifiedAt:_:)-93chl``, whose closure receives an ``Ingestion``.
    ///
    /// - Parameters:
    ///   - stamp: The modification time of all entities in the response: a date, a revision, or a
    ///     sequence number. See ``set(_:modifiedAt:)``. An inner ingest without a stamp gets the
    ///     stamp of the outer one.
    ///   - decode: A closure that decodes the response.
    /// - Returns: The closure's result.
    /// - Throws: Any error that the closure throws.
    @discardableResult
    public func ingest<Result, Stamp: Comparable & Sendable>(
        modifiedAt stamp: Stamp? = Never?.none,
        _ decode: () throws -> Result
    ) rethrows -> Result {
        let ingestion = Ingestion(in: core, stamp.map(IngestionStamp.init))
        let result = try ingestion.run { _ in try decode() }
        ingestion.collectEntities(in: result)
        ingestion.store()
        return result
    }

    /// Decodes a response, and stores the entities that it contains in one commit with other
    /// writes.
    ///
    /// <!-- prelude: ingesting -->
    /// ```swift
    /// try cache.ingest {
    ///     try decoder.decode(Page.self, from: data)
    /// } apply: { batch, page in
    ///     batch.list("books", of: Book.self).replace(withIDs: page.items.map(\.id))
    /// }
    /// ```
    ///
    /// See ``ingest(modifiedAt:_:)-1qwxf`` for the entities that are stored, and for their order.
    /// Inside the closure of another ingest, this method makes a separate commit.
    ///
    /// ## Concurrency
    /// `decode` runs first, on the calling thread and, outside a batch, without the writers' lock.
    /// `apply` follows on the same thread, under the writers' lock, as the closure of
    /// ``performBatchUpdates(_:)`` does. The batch has stored the entities by then, and is valid on
    /// this thread until `apply` returns.
    ///
    /// If `decode` throws an error, `apply` isn't called. If one of them throws, nothing is stored.
    ///
    /// - Parameters:
    ///   - stamp: The modification time of all entities in the response.
    ///   - decode: A closure that decodes the response.
    ///   - apply: A closure that makes further writes of the same commit. It receives the batch and
    ///     the result of `decode`. The batch is valid until the closure returns.
    /// - Returns: The result of `decode`.
    /// - Throws: Any error that one of the closures throws.
    @discardableResult
    public func ingest<Result, Stamp: Comparable & Sendable>(
        modifiedAt stamp: Stamp? = Never?.none,
        _ decode: () throws -> Result,
        apply: (CacheBatch, Result) throws -> Void
    ) rethrows -> Result {
        let ingestion = Ingestion(in: core, stamp.map(IngestionStamp.init))
        let result = try ingestion.run { _ in try decode() }
        ingestion.collectEntities(in: result)
        try ingestion.store { try apply($0, result) }
        return result
    }

    /// Decodes a response in an explicit scope, and stores the entities that it contains in one
    /// commit.
    ///
    /// Use this form if the response is decoded in a detached task or in the callback of a dispatch
    /// queue, and give the scope to the decoder:
    ///
    /// <!-- prelude: ingesting -->
    /// ```swift
    /// cache.ingest { ingestion in
    ///     decoder.userInfo[.ingestion] = ingestion
    ///     // Decode on any thread, and wait for the result.
    /// }
    /// ```
    ///
    /// See ``ingest(modifiedAt:_:)-1qwxf`` for the entities that are stored, and for their order.
    ///
    /// ## Concurrency
    /// The closure runs at once, on the calling thread and, outside a batch, without the writers'
    /// lock. Any thread can use the scope until the closure returns. After that, the scope stores
    /// nothing, and its report counts the late entities. If the closure throws an error, nothing is
    /// stored.
    ///
    /// - Parameters:
    ///   - stamp: The modification time of all entities in the response.
    ///   - body: A closure that receives the scope and decodes the response.
    /// - Returns: The closure's result.
    /// - Throws: Any error that the closure throws.
    @discardableResult
    public func ingest<Result, Stamp: Comparable & Sendable>(
        modifiedAt stamp: Stamp? = Never?.none,
        _ body: (Ingestion) throws -> Result
    ) rethrows -> Result {
        let ingestion = Ingestion(explicitlyIn: core, stamp.map(IngestionStamp.init))
        let result = try ingestion.run(body)
        ingestion.collectEntities(in: result)
        ingestion.store()
        return result
    }

    /// Decodes a response in an explicit scope, and stores the entities that it contains in one
    /// commit with other writes.
    ///
    /// <!-- prelude: ingesting -->
    /// ```swift
    /// try cache.ingest { ingestion in
    ///     decoder.userInfo[.ingestion] = ingestion
    ///     return try decoder.decode(Page.self, from: data)
    /// } apply: { batch, page in
    ///     batch.list("books", of: Book.self).replace(withIDs: page.items.map(\.id))
    /// }
    /// ```
    ///
    /// See ``ingest(modifiedAt:_:)-93chl`` for the scope. Inside the closure of another ingest,
    /// this method makes a separate commit.
    ///
    /// ## Concurrency
    /// `body` runs first, on the calling thread and, outside a batch, without the writers' lock.
    /// Any thread can use the scope until `body` returns. `apply` follows on the calling thread,
    /// under the writers' lock. The batch has stored the entities by then, and is valid on this
    /// thread until `apply` returns.
    ///
    /// If `body` throws an error, `apply` isn't called. If one of them throws, nothing is stored.
    ///
    /// - Parameters:
    ///   - stamp: The modification time of all entities in the response.
    ///   - body: A closure that receives the scope and decodes the response.
    ///   - apply: A closure that makes further writes of the same commit.
    /// - Returns: The result of `body`.
    /// - Throws: Any error that one of the closures throws.
    @discardableResult
    public func ingest<Result, Stamp: Comparable & Sendable>(
        modifiedAt stamp: Stamp? = Never?.none,
        _ body: (Ingestion) throws -> Result,
        apply: (CacheBatch, Result) throws -> Void
    ) rethrows -> Result {
        let ingestion = Ingestion(explicitlyIn: core, stamp.map(IngestionStamp.init))
        let result = try ingestion.run(body)
        ingestion.collectEntities(in: result)
        try ingestion.store { try apply($0, result) }
        return result
    }
}

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
