extension Cache: CacheType {
    /// Stores a value, merging it into the one that is stored if it is ``Mergeable``.
    ///
    /// ## Concurrency
    /// Waits for other writers. Inside a batch's closure, on the same thread, it joins the batch.
    ///
    /// - Parameter value: The value to store.
    /// - Returns: What is stored now.
    @discardableResult
    @inlinable
    public func set<Value: Identifiable & Sendable>(_ value: Value) -> Value
    where Value.ID: Sendable {
        core.set(value)
    }

    /// Stores values as ``set(_:)`` does, in one commit.
    ///
    /// - Parameter values: The values to store. One identifier may come several times; the values
    ///   are then set in their order.
    /// - Returns: For each of the values, in their order, what setting it stored.
    /// - Complexity: O(*n*) in the number of the values.
    @discardableResult
    @inlinable
    public func set<Value: Identifiable & Sendable>(
        contentsOf values: some Sequence<Value>
    ) -> [Value] where Value.ID: Sendable {
        core.set(contentsOf: values)
    }

    /// Stores a value that was modified at a time, unless what is stored was modified later.
    ///
    /// Responses may arrive in another order than that in which they were made: give each the time that
    /// it bears, and an older one never overwrites a newer one. If the type is ``Mergeable``, an older
    /// value may still fill what is missing: what is stored is then merged into it.
    ///
    /// ```swift
    /// cache.set(Book(id: 1, title: "The Tombs of Atuan"), modifiedAt: 7)
    /// cache.set(Book(id: 1, title: "Atuan"), modifiedAt: 3)
    /// print(cache[Book.self, 1]?.title ?? "")  // The Tombs of Atuan
    /// ```
    ///
    /// Of two that are equally new the one that arrives later counts as newer. What is stored
    /// without a stamp is stored whatever its age, and the latest stamp still counts. When an
    /// entity is removed, for whatever reason, its stamp goes, too. If the type is ``Versioned``,
    /// its versions are compared as well. Stamps of two types for values of one type are a
    /// programmer's error and trap.
    ///
    /// ## Concurrency
    /// As for ``set(_:)``. Stamps are compared under the writers' lock: the cache may be read there
    /// but not changed.
    ///
    /// - Parameters:
    ///   - value: The value to store.
    ///   - stamp: When the value was modified: a date, a revision, a sequence number; of one type for
    ///     all values of a type.
    /// - Returns: What is stored now: the newer value, if that was there.
    @discardableResult
    @inlinable
    public func set<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        _ value: Value,
        modifiedAt stamp: Stamp
    ) -> Value where Value.ID: Sendable {
        core.set([value], modifiedAt: stamp, in: core.tables.table(of: Value.self))[0]
    }

    /// Stores values as ``set(_:modifiedAt:)`` does, in one commit.
    ///
    /// - Parameters:
    ///   - values: The values to store.
    ///   - stamp: When the values were modified, such as the date of the response that brought them.
    /// - Returns: For each of the values, in their order, what is stored then.
    /// - Complexity: O(*n*) in the number of the values.
    @discardableResult
    @inlinable
    public func set<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        contentsOf values: some Sequence<Value>,
        modifiedAt stamp: Stamp
    ) -> [Value] where Value.ID: Sendable {
        // The sequence may run any code, so it is gone through before the lock is taken.
        core.set(Array(values), modifiedAt: stamp, in: core.tables.table(of: Value.self))
    }

    /// Stores a value as it is, without merging.
    ///
    /// - Parameter value: The value to store.
    /// - Returns: What is stored now.
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
    /// The result is stored as it is, without merging. What the closure itself writes to other
    /// entities of the cache belongs to the same commit. What it writes to this one is overwritten
    /// by the value that it leaves: change that instead. If it throws, nothing of all that remains.
    ///
    /// ## Concurrency
    /// The closure runs at once, on the calling thread, under the writers' lock: other writers wait
    /// for it, readers don't.
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier, which the closure must leave as it is.
    ///   - body: Changes the value.
    /// - Returns: What is stored now, or `nil` if there was no value; the closure was not called then.
    /// - Throws: What the closure throws.
    @discardableResult
    @inlinable
    public func update<Value: Identifiable & Sendable, Failure: Error>(
        _ type: Value.Type,
        id: Value.ID,
        _ body: (inout Value) throws(Failure) -> Void
    ) throws(Failure) -> Value? where Value.ID: Sendable {
        try core.update(type, id: id, body)
    }

    /// Removes a value.
    ///
    /// Its observers are told, and those of what refers to it. What belongs to it goes, too, if its
    /// type is ``OwnsCachedValues``.
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier.
    /// - Returns: The value that was removed, or `nil` if there was none.
    @discardableResult
    @inlinable
    public func remove<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) -> Value? where Value.ID: Sendable {
        core.remove(type, id: id)
    }

    /// Removes all values of a type, in one commit.
    ///
    /// - Parameter type: The type under which the values are stored.
    /// - Returns: How many values were removed.
    /// - Complexity: O(*n*) in the number of values of that type.
    @discardableResult
    @inlinable
    public func removeAll<Value: Identifiable & Sendable>(_ type: Value.Type) -> Int
    where Value.ID: Sendable {
        core.removeAll(type)
    }

    /// Removes all values, in one commit.
    ///
    /// - Returns: How many values were removed.
    /// - Complexity: O(*n*) in the number of values.
    @discardableResult
    @inlinable
    public func removeAll() -> Int {
        core.removeAll()
    }
}
