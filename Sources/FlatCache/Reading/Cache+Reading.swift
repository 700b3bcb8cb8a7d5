extension Cache: ReadableCache {
    /// The engine of the cache, whose latest commit is read.
    @inlinable public var _access: _CacheAccess { _CacheAccess(core, .latest) }

    /// Returns the latest value for a type and an identifier, or `nil` if there is none.
    ///
    /// ```swift
    /// if let book = cache.get(Book.self, id: 1) { print(book.title) }
    /// ```
    ///
    /// The value can be stale: see ``ReadableCache/freshness(of:id:)``.
    ///
    /// ## Concurrency
    /// Waits for no writer. Inside a batch's closure it returns the value before the batch. To read
    /// the batch's own writes, use the batch.
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier.
    @inlinable @inline(__always)
    public func get<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) -> Value? where Value.ID: Sendable {
        core.get(type, id: id)
    }

    /// Runs a closure that reads several values from one consistent state.
    ///
    /// ```swift
    /// let (book, author) = cache.withSnapshot { snapshot in
    ///     (snapshot[Book.self, 1], snapshot[Author.self, "le-guin"])
    /// }
    /// ```
    ///
    /// ## Concurrency
    /// The closure runs at once, on the calling thread, under no lock. Other threads can commit
    /// meanwhile; the cache keeps the displaced values until the closure returns. The closure may
    /// write to the cache, but the snapshot doesn't show its writes. Inside a batch's closure, the
    /// snapshot shows the state before the batch.
    ///
    /// - Parameter body: A closure that reads from the snapshot. The snapshot is valid until the
    ///   closure returns.
    /// - Returns: The closure's result.
    /// - Throws: Any error that the closure throws.
    public func withSnapshot<Result, Failure: Error>(
        _ body: (CacheSnapshot) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try core.withOpenSnapshot { version throws(Failure) in
            try core.withSnapshot(at: version, body)
        }
    }
}

extension Cache {
    /// Returns a handle to the entity with an identifier, whether or not it exists yet.
    ///
    /// The type is inferred: `let book: Cached<Book> = cache.cached(1)`.
    ///
    /// - Parameter id: The entity's identifier.
    @inlinable
    public func cached<Value: Identifiable & Sendable>(_ id: Value.ID) -> Cached<Value>
    where Value.ID: Sendable {
        Cached(id: id, core: core)
    }

    /// Returns a handle to a reference's entity, whether or not it exists yet.
    ///
    /// ```swift
    /// if let author = book.author { print(cache.cached(author).value?.name ?? "unknown") }
    /// ```
    ///
    /// - Parameter related: The reference.
    @inlinable
    public func cached<Value: Identifiable & Sendable>(_ related: Related<Value>) -> Cached<Value>
    where Value.ID: Sendable {
        Cached(id: related.id, core: core)
    }

    /// Returns a handle to a value's entity, whether or not it exists yet.
    ///
    /// ```swift
    /// let handle = cache.cached(book)
    /// handle.update { $0.copies += 1 }
    /// ```
    ///
    /// The value is not stored.
    ///
    /// - Parameter value: A value with the entity's identifier.
    @inlinable
    public func cached<Value: Identifiable & Sendable>(_ value: Value) -> Cached<Value>
    where Value.ID: Sendable {
        Cached(id: value.id, core: core)
    }

    /// Returns a handle to the entity of a type with an identifier, whether or not it exists yet.
    ///
    /// ```swift
    /// let handle = cache.cached(Book.self, id: 1)
    /// print(handle.value?.title ?? "not here yet")
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    @inlinable
    public func cached<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) -> Cached<Value> where Value.ID: Sendable {
        Cached(id: id, core: core)
    }
}
