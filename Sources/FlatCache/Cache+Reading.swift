extension Cache: ReadableCache {
    /// Returns the latest value of a type that has an identifier, or `nil` if there is none.
    ///
    /// A value that has expired and is kept because it is in use does not count: see
    /// ``get(_:id:allowStale:)``.
    ///
    /// ## Concurrency
    /// Waits for no writer. Inside a batch's closure it returns what was there before the batch;
    /// ask the batch for what the batch itself has written.
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier.
    @inlinable @inline(__always)
    public func get<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) -> Value? where Value.ID: Sendable {
        core.get(type, id: id, allowStale: false)
    }

    /// Returns how many values of a type there are, stale ones included.
    ///
    /// - Parameter type: The type under which the values are stored.
    public func count<Value: Identifiable & Sendable>(of type: Value.Type) -> Int
    where Value.ID: Sendable {
        core.count(of: type)
    }

    /// Returns the identifiers of all values of a type, in no particular order.
    ///
    /// The result is consistent: it never shows half of a commit. Stale values are among them.
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
    /// The result is consistent: it never shows half of a commit. Stale values are among them.
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
    /// The closure runs at once, on the calling thread, under no lock: commits go on meanwhile, and
    /// what they displace is kept until the closure has returned. It may write to the cache; the
    /// snapshot does not show that. Inside a batch's closure it shows the state before the batch.
    ///
    /// - Parameter body: Reads from the snapshot, which is valid until the closure returns.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    public func withSnapshot<Result, Failure: Error>(
        _ body: (CacheSnapshot) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try core.withOpenSnapshot { version throws(Failure) in
            let snapshot = CacheSnapshot(core: core, version: version)
            defer { snapshot.end() }
            return try body(snapshot)
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

    /// Returns a handle to the entity that a reference refers to, whether or not it exists yet.
    ///
    /// - Parameter related: The reference.
    @inlinable
    public func cached<Value: Identifiable & Sendable>(_ related: Related<Value>) -> Cached<Value>
    where Value.ID: Sendable {
        Cached(id: related.id, core: core)
    }

    /// Returns a handle to a value's entity, whether or not it exists yet.
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
