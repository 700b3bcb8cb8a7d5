extension Cache: CacheType {
    /// Stores a value, merging a ``Mergeable`` value into the stored one.
    ///
    /// ```swift
    /// cache.set(Book(id: 1, title: "Earthsea", year: 1968))
    /// let stored = cache.set(Book(id: 1, title: "A Wizard of Earthsea"))
    /// print(stored.year ?? 0)  // 1968, from the first value
    /// ```
    ///
    /// ## Concurrency
    /// Waits for other writers. Inside a batch's closure, on the same thread, it joins the batch.
    ///
    /// - Parameter value: The value to store.
    /// - Returns: The value that is now stored.
    @discardableResult
    @inlinable
    public func set<Value: Identifiable & Sendable>(_ value: Value) -> Value
    where Value.ID: Sendable {
        core.set(value)
    }

    /// Stores values as ``set(_:)`` does, in one commit.
    ///
    /// ```swift
    /// cache.set(contentsOf: [Book(id: 1, title: "Dune"), Book(id: 2, title: "Emma")])
    /// ```
    ///
    /// - Parameter values: The values to store. If several have the same identifier, they are set
    ///   in their order.
    /// - Returns: The stored value for each of the values, in their order.
    /// - Complexity: O(*n*) in the number of the values.
    @discardableResult
    @inlinable
    public func set<Value: Identifiable & Sendable>(
        contentsOf values: some Sequence<Value>
    ) -> [Value] where Value.ID: Sendable {
        core.set(contentsOf: values)
    }

    /// Stores a value as it is, without merging.
    ///
    /// ```swift
    /// cache.set(Book(id: 1, title: "Earthsea", year: 1968))
    /// cache.replace(Book(id: 1, title: "A Wizard of Earthsea"))
    /// print(cache[Book.self, 1]?.year ?? 0)  // 0, since the new value has no year
    /// ```
    ///
    /// - Parameter value: The value to store.
    /// - Returns: The value that is now stored.
    @discardableResult
    @inlinable
    public func replace<Value: Identifiable & Sendable>(_ value: Value) -> Value
    where Value.ID: Sendable {
        core.replace(value)
    }

    /// Changes a value in place, if there is one: an atomic read, modification and write.
    ///
    /// ```swift
    /// cache.update(Book.self, id: 1) { $0.copies -= 1 }
    /// ```
    ///
    /// The result is stored as it is, without merging. Writes of the closure to other entities of
    /// the cache belong to the same commit. Change this entity only through the closure's argument:
    /// its final value overwrites other writes to the entity. If the closure throws, all of these
    /// writes are rolled back.
    ///
    /// ## Concurrency
    /// The closure runs at once, on the calling thread, under the writers' lock: other writers wait
    /// for it, readers don't.
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier. The closure must not change it.
    ///   - body: A closure that changes the value.
    /// - Returns: The value that is now stored. If there was no value, the closure isn't called and
    ///   the result is `nil`.
    /// - Throws: Any error that the closure throws.
    @discardableResult
    @inlinable
    public func update<Value: Identifiable & Sendable, Failure: Error>(
        _ type: Value.Type,
        id: Value.ID,
        _ body: (inout Value) throws(Failure) -> Void
    ) throws(Failure) -> Value? where Value.ID: Sendable {
        try core.update(type, id: id, body)
    }
}

extension Cache {
    /// Creates the table of a type, compiled for it in the client's module.
    @inlinable
    package func makeTable<Value: Identifiable & Sendable>(of type: Value.Type)
    where Value.ID: Sendable {
        _ = core.tables.table(of: type)
    }

    /// Runs a closure whose writes become one commit, and calls a completion after the observers of
    /// that commit.
    ///
    /// ```swift
    /// cache.performBatchUpdates { batch in
    ///     batch.set(contentsOf: books)
    /// } completion: {
    ///     print("The observers have received the books.")
    /// }
    /// ```
    ///
    /// See ``CacheType/performBatchUpdates(_:)``.
    ///
    /// - Parameters:
    ///   - updates: A closure that writes to the batch. The batch is valid until the closure
    ///     returns.
    ///   - completion: A closure that the cache calls once, by the cache's own delivery and under
    ///     no lock. The call follows those of the observers of this commit and of all earlier
    ///     commits. Observers with a separate delivery, such as `isolation:`, may be called later:
    ///     ``waitForObservers()`` waits for all of them. The completion is also called if the batch
    ///     changes nothing, but not if `updates` throws. The completion of a batch inside another
    ///     batch follows the outer batch, and isn't called if the outer batch throws.
    /// - Returns: The result of `updates`.
    /// - Throws: Any error that `updates` throws.
    @discardableResult
    public func performBatchUpdates<Result, Failure: Error>(
        _ updates: (CacheBatch) throws(Failure) -> Result,
        completion: @escaping @Sendable () -> Void
    ) throws(Failure) -> Result {
        try core.performBatchUpdates(updates, completion: completion)
    }
}
