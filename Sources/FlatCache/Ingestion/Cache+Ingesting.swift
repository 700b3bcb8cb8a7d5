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
    /// or an optional, array, set or dictionary of such entities. A tuple isn't: hand its entities
    /// to ``Ingestion/collect(contentsOf:)``. Every `Decoder` works.
    ///
    /// > Important: In the struct of a response, declare `var items: [Related<Book>]`. The books of
    /// > a plain property `var items: [Book]` are decoded, but not stored. The cache reports them
    /// > to ``CacheConfiguration/onDiagnostic``, once for each type of result.
    ///
    /// The entities are stored as by ``CacheType/set(contentsOf:)``, in one commit, after the
    /// closure has returned. Within a type, they are stored in the order in which they end in the
    /// document: an entity that is embedded in another one comes before that one, and the result
    /// comes last. If an entity occurs several times, its values are merged in this order. If the
    /// closure throws an error, nothing is stored.
    ///
    /// The closure `apply` makes further writes of the same commit:
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
    /// Inside the closure of another ingest of the same cache, the entities belong to the commit of
    /// the outer ingest, and inside a batch of the same cache to the batch. With `apply`, the
    /// method makes a separate commit inside the closure of another ingest.
    ///
    /// ## Concurrency
    /// `decode` runs at once, on the calling thread. Outside a batch, it runs without the writers'
    /// lock: decoding a long response delays no other writer. In `Task.detached` and in the
    /// callbacks of dispatch queues, references don't find the scope of the ingest: see
    /// ``Ingestion/current``.
    ///
    /// `apply` follows on the same thread, under the writers' lock, as the closure of
    /// ``CacheType/performBatchUpdates(_:)`` does. The batch has stored the entities by then, and
    /// is valid on this thread until `apply` returns. If `decode` throws an error, `apply` isn't
    /// called. If one of them throws, nothing is stored.
    ///
    /// - Parameters:
    ///   - stamp: The modification time of all entities in the response: a date, a revision, or a
    ///     sequence number. See ``CacheType/set(_:modifiedAt:)``. An inner ingest without a stamp
    ///     gets the stamp of the outer one.
    ///   - decode: A closure that decodes the response. If its result is `Identifiable`, or an
    ///     optional or a collection of such values, their type must be a ``CacheEntity``. Another
    ///     type is a programmer error and traps.
    ///   - apply: A closure that makes further writes of the same commit, or `nil` if there are
    ///     none. It receives the batch and the result of `decode`.
    /// - Returns: The result of `decode`.
    /// - Throws: Any error that one of the closures throws.
    @discardableResult
    public func ingest<Result, Stamp: Comparable & Sendable, Failure: Error>(
        modifiedAt stamp: Stamp? = Never?.none,
        _ decode: () throws(Failure) -> Result,
        apply: ((CacheBatch, Result) throws(Failure) -> Void)? = nil
    ) throws(Failure) -> Result {
        Ingestion.checkEntities(of: Result.self)
        let ingestion = Ingestion(in: core, stamp)
        let result = try ingestion.run(decode)
        try ingestion.store(result, apply: apply)
        return result
    }

    // The compiler prefers asynchronous overloads in asynchronous functions. Disfavored, this one
    // is chosen for asynchronous closures alone, so that `cache.ingest { try decode(data) }` needs
    // no `await` there.

    /// Loads and decodes a response, and stores the entities that it contains in one commit.
    ///
    /// <!-- prelude: ingesting -->
    /// ```swift
    /// let page = try await cache.ingest { try await api.books(after: cursor) }
    /// ```
    ///
    /// Child tasks of the closure belong to the scope, so it can load several parts of a response
    /// concurrently. See ``ingest(modifiedAt:_:apply:)`` for the entities that are stored, for
    /// their order, and for the closure `apply`.
    ///
    /// ## Concurrency
    /// `load` runs on the actor of the caller. No lock is held while it runs, so it can suspend.
    /// `apply` follows on the same actor, synchronously and under the writers' lock.
    ///
    /// - Parameters:
    ///   - stamp: The modification time of all entities in the response.
    ///   - isolation: The actor that the caller is isolated to.
    ///   - load: A closure that loads and decodes the response.
    ///   - apply: A closure that makes further writes of the same commit, or `nil` if there are
    ///     none.
    /// - Returns: The result of `load`.
    /// - Throws: Any error that one of the closures throws.
    @_disfavoredOverload
    @discardableResult
    public func ingest<Result, Stamp: Comparable & Sendable, Failure: Error>(
        modifiedAt stamp: Stamp? = Never?.none,
        isolation: isolated (any Actor)? = #isolation,
        _ load: () async throws(Failure) -> Result,
        apply: ((CacheBatch, Result) throws(Failure) -> Void)? = nil
    ) async throws(Failure) -> Result {
        Ingestion.checkEntities(of: Result.self)
        let ingestion = Ingestion(in: core, stamp)
        let result = try await ingestion.run(isolation: isolation, load)
        try ingestion.store(result, apply: apply)
        return result
    }
}

extension Ingestion {
    /// Stores the collected entities and those of the result.
    fileprivate func store<Result, Failure: Error>(
        _ result: Result,
        apply: ((CacheBatch, Result) throws(Failure) -> Void)?
    ) throws(Failure) {
        collectEntities(in: result)
        guard let apply else { return store() }
        try store { batch throws(Failure) in try apply(batch, result) }
    }
}
