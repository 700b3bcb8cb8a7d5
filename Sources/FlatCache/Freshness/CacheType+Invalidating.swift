extension CacheType {
    /// Makes the value of an entity stale, if there is one.
    ///
    /// ```swift
    /// cache.invalidate(Book.self, id: 1)
    /// print(cache.freshness(of: Book.self, id: 1).isStale)  // true
    /// ```
    ///
    /// The value remains until it's removed, and reads return it. Storing it again makes it fresh.
    /// Observers receive ``EntityChange/Kind-swift.enum/becameStale``, unless the value is already
    /// known to be stale. The type needs no ``CacheStaleness``.
    ///
    /// ## Concurrency
    /// Waits for other writers. Inside a batch's closure, on the same thread, it joins the batch.
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier.
    /// - Complexity: O(1), except that the first invalidation of a type without a limit or
    ///   lifetimes is O(*n*) in the number of its values.
    @inlinable
    public func invalidate<Value: Identifiable & Sendable>(_ type: Value.Type, id: Value.ID)
    where Value.ID: Sendable {
        let core = _access.core
        core.invalidate(id, in: core.tables.table(of: type))
    }

    /// Makes all values of a type stale, in one commit.
    ///
    /// ```swift
    /// cache.invalidate(Book.self)  // The next load of a book asks the server again.
    /// ```
    ///
    /// See ``invalidate(_:id:)``.
    ///
    /// - Parameter type: The type under which the values are stored.
    /// - Complexity: O(*n*) in the number of watched entities, or of the type's values if the type
    ///   is observed as a whole or invalidated for the first time.
    @inlinable
    public func invalidate<Value: Identifiable & Sendable>(_ type: Value.Type)
    where Value.ID: Sendable {
        let core = _access.core
        core.invalidateAll(in: core.tables.table(of: type))
    }

    /// Makes the values of a type stale that meet a condition, in one commit.
    ///
    /// ```swift
    /// cache.invalidate(Book.self) { $0.author?.id == author.id }
    /// ```
    ///
    /// See ``invalidate(_:id:)``.
    ///
    /// ## Concurrency
    /// The closure runs on the calling thread, under the writers' lock. It may read the cache.
    ///
    /// - Parameters:
    ///   - type: The type under which the values are stored.
    ///   - isChosen: A closure that selects the values.
    /// - Throws: The error that the closure throws. No value becomes stale then.
    /// - Complexity: O(*n*) in the number of values of that type.
    public func invalidate<Value: Identifiable & Sendable, Failure: Error>(
        _ type: Value.Type,
        where isChosen: (Value) throws(Failure) -> Bool
    ) throws(Failure) where Value.ID: Sendable {
        try _access.core.invalidate(type, where: isChosen)
    }
}
