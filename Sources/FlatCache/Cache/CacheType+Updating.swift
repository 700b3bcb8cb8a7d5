extension CacheType {
    /// Changes a value in place, or stores a changed default value if there is none.
    ///
    /// ```swift
    /// cache.update(Book.self, id: 7, default: Book(id: 7, title: "Tehanu")) { $0.copies += 1 }
    /// ```
    ///
    /// The result is stored without merging. As with ``update(_:id:_:)``, all writes of the closure
    /// belong to one commit, and roll back if the closure throws.
    ///
    /// Only values in memory are found. If the cache has a durable graph, and the value is only in
    /// its file, the closure changes the default. The graph later replaces the stored value by the
    /// result, or merges the result into it if the type is ``Mergeable``. Load the value first to
    /// change it instead.
    ///
    /// ## Concurrency
    /// Both closures run on the calling thread, before this method returns, under the writers'
    /// lock: other writers wait for them, readers don't.
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier, which the closure must not change.
    ///   - defaultValue: The value to change if there is none, with the identifier `id`. It's
    ///     evaluated only in this case.
    ///   - body: A closure that changes the value.
    /// - Returns: The value that is stored afterwards.
    /// - Throws: The error that the closure throws.
    @discardableResult
    public func update<Value: Identifiable & Sendable, Failure: Error>(
        _ type: Value.Type,
        id: Value.ID,
        default defaultValue: @autoclosure () -> Value,
        _ body: (inout Value) throws(Failure) -> Void
    ) throws(Failure) -> Value where Value.ID: Sendable {
        try performBatchUpdates { batch throws(Failure) in
            if let value = try batch.update(type, id: id, body) { return value }
            var value = defaultValue()
            try body(&value)
            precondition(
                value.id == id,
                """
                update(_:id:default:_:) for \(CacheKey(type, id: id)) made \(CacheKey(value)). \
                Give the default value the same identifier, and don't change it in the closure.
                """
            )
            // The closure may have stored the entity, in which case its result isn't merged.
            if let stored = batch.update(type, id: id, { $0 = value }) { return stored }
            return batch.set(value)
        }
    }
}
