extension Cache: ReadableCache {
    /// Returns the latest value for a type and an identifier, or `nil` if there is none.
    ///
    /// ```swift
    /// if let book = cache.get(Book.self, id: 1) { print(book.title) }
    /// ```
    ///
    /// The value can be stale: see ``freshness(of:id:)``.
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

    /// Returns the number of values of a type.
    ///
    /// ```swift
    /// print("\(cache.count(of: Book.self)) books")
    /// ```
    ///
    /// - Parameter type: The type under which the values are stored.
    public func count<Value: Identifiable & Sendable>(of type: Value.Type) -> Int
    where Value.ID: Sendable {
        core.count(of: type)
    }

    /// Returns the identifiers of all values of a type, in no particular order.
    ///
    /// ```swift
    /// for id in cache.ids(of: Book.self) { cache.invalidate(Book.self, id: id) }
    /// ```
    ///
    /// The result is consistent: it never shows half of a commit.
    ///
    /// - Parameter type: The type under which the values are stored.
    /// - Complexity: O(*n*) in the number of values of that type.
    @inlinable
    public func ids<Value: Identifiable & Sendable>(of type: Value.Type) -> [Value.ID]
    where Value.ID: Sendable {
        withSnapshot { $0.ids(of: type) }
    }

    /// Returns all values of a type, in no particular order.
    ///
    /// ```swift
    /// let newest = cache.values(of: Book.self).max { ($0.year ?? 0) < ($1.year ?? 0) }
    /// print(newest?.title ?? "no book")
    /// ```
    ///
    /// The result is consistent: it never shows half of a commit.
    ///
    /// - Parameter type: The type under which the values are stored.
    /// - Complexity: O(*n*) in the number of values of that type.
    @inlinable
    public func values<Value: Identifiable & Sendable>(of type: Value.Type) -> [Value]
    where Value.ID: Sendable {
        withSnapshot { $0.values(of: type) }
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
