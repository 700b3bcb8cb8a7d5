extension Cache {
    /// The state of the cache without the edits of open layers.
    ///
    /// ```swift
    /// let saved = cache.confirmed[Book.self, 1]
    /// ```
    public var confirmed: ConfirmedCache<Cache> { ConfirmedCache(base: self) }

    /// Shows edits, sends them, and confirms them if the request succeeds.
    ///
    /// ```swift
    /// try await cache.optimistically("Rename book 1") { layer in
    ///     layer.update(Book.self, id: 1) { $0.title = "Tehanu" }
    /// } confirm: {
    ///     Book(id: 1, title: "Tehanu")  // the response of your server
    /// }
    /// ```
    ///
    /// If the request fails, the cache rolls the edits back, and the method throws the error.
    /// ``CacheType/beginLayer(_:_:)`` begins a layer that survives a failed request.
    ///
    /// ## Concurrency
    /// `edit` runs at once, on the calling thread and under the writers' lock. `send` runs on the
    /// actor of the caller, under no lock. `apply` follows on the same actor, synchronously and
    /// under the writers' lock.
    ///
    /// - Parameters:
    ///   - label: A description of the edits, for ``pendingLayers``.
    ///   - isolation: The actor that the caller is isolated to.
    ///   - edit: A closure that makes the edits, in one commit.
    ///   - send: A closure that sends the edits and decodes the response, like the closure of
    ///     ``ingest(modifiedAt:isolation:_:apply:)``.
    ///   - apply: A closure that makes further writes of the commit that stores the response.
    /// - Returns: The result of `send`.
    /// - Throws: Any error that `send` or `apply` throws, or a ``LayerError``, as described by
    ///   ``OpenLayer/confirm(isolation:_:apply:)``.
    @discardableResult
    public func optimistically<Result>(
        _ label: String,
        isolation: isolated (any Actor)? = #isolation,
        _ edit: (CacheLayer) -> Void,
        confirm send: () async throws -> Result,
        apply: (CacheBatch, Result) throws -> Void = { _, _ in }
    ) async throws -> Result {
        let layer = beginLayer(label, edit)
        do {
            return try await layer.confirm(isolation: isolation, send, apply: apply)
        } catch {
            layer.rollBack()
            throw error
        }
    }
}

extension CacheType {
    /// Begins a layer, and shows its edits until it's confirmed or rolled back.
    ///
    /// ```swift
    /// let draft = cache.beginLayer("Draft") { layer in
    ///     layer.update(Book.self, id: 1) { $0.title = "Tehanu" }
    /// }
    /// ```
    ///
    /// A layer that begins in a batch is rolled back if the batch throws an error.
    ///
    /// ## Concurrency
    /// `edit` runs at once, on the calling thread and under the writers' lock.
    ///
    /// - Parameters:
    ///   - label: A description of the edits, for ``Cache/pendingLayers``.
    ///   - edit: A closure that makes the edits, in one commit.
    /// - Returns: The layer. Keep it: if the object is released, the layer is rolled back.
    public func beginLayer(_ label: String, _ edit: (CacheLayer) -> Void) -> OpenLayer {
        let core = _access.core
        return core.write("beginLayer(_:_:)", asSavepoint: true) { _ in
            let record = core.beginLayer(label)
            core.edit(record, edit)
            return OpenLayer(record, in: core)
        }
    }
}

extension CacheBatch {
    /// Replaces a temporary identifier with the identifier that the server has assigned.
    ///
    /// ```swift
    /// try await cache.optimistically("Add a book") { layer in
    ///     layer.set(Book(id: -1, title: "Tehanu"))
    ///     layer.list("new", of: Book.self).append(-1)
    /// } confirm: {
    ///     Book(id: 8, title: "Tehanu")  // the response of your server
    /// } apply: { batch, book in
    ///     batch.replaceIdentifier(of: Book.self, from: -1, to: book.id)
    /// }
    /// ```
    ///
    /// The method removes the entity with the temporary identifier. Other layers' updates and
    /// removals of it then apply to the entity with the assigned identifier. A value that another
    /// layer has set is dropped, since a value contains its identifier. Lists, aliases and the
    /// edits of both name the assigned identifier. References in other entities don't change:
    /// write them in the same batch.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - temporary: The temporary identifier.
    ///   - id: The assigned identifier.
    /// - Complexity: O(*n*) in the number of elements of all lists of the type.
    public func replaceIdentifier<Value: Identifiable & Sendable>(
        of type: Value.Type,
        from temporary: Value.ID,
        to id: Value.ID
    ) where Value.ID: Sendable {
        checkUsable()
        if temporary == id { return }
        core.replaceIdentifier(of: type, from: temporary, to: id)
        replacedIdentifiers.append((CacheKey(type, id: temporary), CacheKey(type, id: id)))
    }

    /// The state of the batch without the edits of open layers, with its own writes so far.
    public var confirmed: ConfirmedCache<CacheBatch> { ConfirmedCache(base: self) }
}

extension CacheSnapshot {
    /// The state of the snapshot without the edits of open layers.
    public var confirmed: ConfirmedCache<CacheSnapshot> { ConfirmedCache(base: self) }
}
