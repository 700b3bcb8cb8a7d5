/// The reads and writes that a ``Cache`` and a ``CacheBatch`` have in common.
///
/// A function that takes a `CacheType` can store a response in either:
///
/// ```swift
/// func store(_ response: Response, in cache: some CacheType) {
///     cache.set(contentsOf: response.books)
///     cache.set(contentsOf: response.authors)
/// }
/// ```
///
/// On a cache, each call is a separate commit and notifies the observers. On a batch, all calls
/// belong to the single commit of the batch. A function that needs one commit in both cases makes
/// its calls in ``performBatchUpdates(_:)``.
///
/// If a new value is `Equatable` and equal to the stored value, the cache keeps the stored value
/// and notifies no observer. A stale value is the exception: storing it again makes it fresh. That
/// is a change.
///
/// ``Cache`` and ``CacheBatch`` are the only types that conform to the protocol.
public protocol CacheType: ReadableCache {}

extension CacheType {
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
        _access.core.set(value)
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
        _access.core.set(contentsOf: values)
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
        _access.core.replace(value)
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
        try _access.core.update(type, id: id, body)
    }

    /// Stores a value that was modified at a given time, unless the stored value was modified
    /// later.
    ///
    /// Responses may arrive in a different order than their requests. Pass the modification time of
    /// each response, so that an older one never overwrites a newer one. If the type is
    /// ``Mergeable``, an older value can still fill in missing parts: the stored value is then
    /// merged into it.
    ///
    /// ```swift
    /// cache.set(Book(id: 1, title: "The Tombs of Atuan"), modifiedAt: 7)
    /// cache.set(Book(id: 1, title: "Atuan"), modifiedAt: 3)
    /// print(cache[Book.self, 1]?.title ?? "")  // The Tombs of Atuan
    /// ```
    ///
    /// Of two equally new values, the later arrival counts as newer. A value without a stamp is
    /// stored regardless of its age, and the entity's latest stamp remains in effect. A removal for
    /// any reason discards the stamp. If the type is ``Versioned``, its versions are compared as
    /// well. Using stamps of two types for values of one type is a programmer error and traps.
    ///
    /// ## Concurrency
    /// As for ``set(_:)``. The stamps' `<` runs under the writers' lock: it may read the cache but
    /// must not change it.
    ///
    /// - Parameters:
    ///   - value: The value to store.
    ///   - stamp: The modification time of the value: a date, a revision, or a sequence number. Use
    ///     one type of stamp for all values of a type.
    /// - Returns: The value that is now stored. It's the previous one if that was newer.
    @discardableResult
    @inlinable
    public func set<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        _ value: Value,
        modifiedAt stamp: Stamp
    ) -> Value where Value.ID: Sendable {
        set(contentsOf: [value], modifiedAt: stamp)[0]
    }

    /// Stores values as ``set(_:modifiedAt:)`` does, in one commit.
    ///
    /// ```swift
    /// cache.set(contentsOf: response.books, modifiedAt: 12)
    /// cache.set(contentsOf: response.books, modifiedAt: 11)  // stores nothing
    /// ```
    ///
    /// - Parameters:
    ///   - values: The values to store.
    ///   - stamp: The modification time of the values, such as the date of their response.
    /// - Returns: The stored value for each of the values, in their order.
    /// - Complexity: O(*n*) in the number of the values.
    @discardableResult
    @inlinable
    public func set<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        contentsOf values: some Sequence<Value>,
        modifiedAt stamp: Stamp
    ) -> [Value] where Value.ID: Sendable {
        // A sequence may run any code, so its elements are copied before the lock is taken.
        let core = _access.core
        return core.set(Array(values), modifiedAt: stamp, in: core.tables.table(of: Value.self))
    }

    /// Removes a value.
    ///
    /// ```swift
    /// if let book = cache.remove(Book.self, id: 1) { print("\(book.title) is gone") }
    /// ```
    ///
    /// Observers of the value, and of entities that refer to it, are notified. If its type is
    /// ``OwnsCachedValues``, the entities that it owns are removed with it.
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier.
    /// - Returns: The removed value, or `nil` if there was none.
    @discardableResult
    public func remove<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) -> Value? where Value.ID: Sendable {
        _access.core.remove(type, id: id)
    }

    /// Removes all values of a type, in one commit.
    ///
    /// Other threads wait for a moment only, regardless of the number of values. They wait for all
    /// removals if a value is observed, a snapshot is open, or the type takes part in a query, a
    /// durable graph or an ownership.
    ///
    /// ```swift
    /// let count = cache.removeAll(Book.self)
    /// print("Removed \(count) books")
    /// ```
    ///
    /// - Parameter type: The type under which the values are stored.
    /// - Returns: The number of removed values.
    /// - Complexity: O(*n*) in the number of values of that type.
    @discardableResult
    public func removeAll<Value: Identifiable & Sendable>(_ type: Value.Type) -> Int
    where Value.ID: Sendable {
        _access.core.removeAll(type)
    }

    /// Removes all values, in one commit.
    ///
    /// ```swift
    /// func logOut() {
    ///     cache.removeAll()
    /// }
    /// ```
    ///
    /// Call it when the user logs out. The observers of removed entities are notified, and their
    /// observations go on. Pinned and observed entities are removed like all others. The answers of
    /// running loads aren't stored: see <doc:LoadingInDepth#Log-out>.
    ///
    /// - Returns: The number of removed values.
    /// - Complexity: O(*n*) in the number of values.
    @discardableResult
    public func removeAll() -> Int {
        _access.core.removeAll()
    }

    /// Runs a closure whose writes become one commit.
    ///
    /// ```swift
    /// cache.performBatchUpdates { batch in
    ///     batch.set(contentsOf: response.books)
    ///     batch.set(contentsOf: response.authors)
    /// }
    /// ```
    ///
    /// All writes become visible to every thread at one instant. If the closure throws, none of
    /// them ever does. Each observer is called at most once, with the final value. An observer
    /// isn't called if the batch leaves everything that it observes unchanged.
    ///
    /// A batch inside another batch joins it: the writes of both become visible together. If the
    /// inner closure throws and the outer one catches the error, only the inner writes are rolled
    /// back.
    ///
    /// ## Concurrency
    /// The closure runs at once, on the calling thread, under the writers' lock: other writers wait
    /// for it, readers don't. Inside the closure, the cache and its handles read the state before
    /// the batch, while the batch reads its own writes. Writes to the cache or through a handle
    /// join the batch if they come from the same thread. Don't wait in the closure for another
    /// thread that writes.
    ///
    /// - Parameter updates: A closure that writes to the batch. The batch is valid until the
    ///   closure returns.
    /// - Returns: The closure's result.
    /// - Throws: Any error that the closure throws.
    @discardableResult
    public func performBatchUpdates<Result, Failure: Error>(
        _ updates: (CacheBatch) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try _access.core.performBatchUpdates(updates, completion: nil)
    }

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
    ///   - id: The value's identifier. The closure must not change it.
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
