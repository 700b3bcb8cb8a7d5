/// The reads and writes that a ``Cache`` and a ``CacheBatch`` have in common.
///
/// A function that takes a `CacheType` can ingest a response into either:
///
/// ```swift
/// func ingest(_ response: Response, into cache: some CacheType) {
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
public protocol CacheType: ReadableCache {
    /// Stores a value, merging it into the stored value if the type is ``Mergeable``.
    ///
    /// - Parameter value: The value to store.
    /// - Returns: The value that is stored afterwards.
    @discardableResult
    func set<Value: Identifiable & Sendable>(_ value: Value) -> Value where Value.ID: Sendable

    /// Stores values as ``set(_:)`` does, in one commit.
    ///
    /// - Parameter values: The values to store, in this order. An identifier may occur several
    ///   times.
    /// - Returns: The value that was stored after each write, in the same order.
    /// - Complexity: O(*n*) in the number of values.
    @discardableResult
    func set<Value: Identifiable & Sendable>(contentsOf values: some Sequence<Value>) -> [Value]
    where Value.ID: Sendable

    /// Stores a value with its modification stamp, unless a later stamp is known for the entity.
    ///
    /// See ``Cache/set(_:modifiedAt:)``.
    ///
    /// - Parameters:
    ///   - value: The value to store.
    ///   - stamp: The date, the revision or the sequence number of the modification. All values of
    ///     a type need stamps of the same type.
    /// - Returns: The value that is stored afterwards.
    @discardableResult
    func set<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        _ value: Value,
        modifiedAt stamp: Stamp
    ) -> Value where Value.ID: Sendable

    /// Stores values as ``set(_:modifiedAt:)`` does, in one commit.
    ///
    /// - Parameters:
    ///   - values: The values to store.
    ///   - stamp: The modification stamp of all values, such as the date of the response that
    ///     contains them.
    /// - Returns: The value that was stored after each write, in the same order.
    /// - Complexity: O(*n*) in the number of values.
    @discardableResult
    func set<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        contentsOf values: some Sequence<Value>,
        modifiedAt stamp: Stamp
    ) -> [Value] where Value.ID: Sendable

    /// Stores a value without merging.
    ///
    /// For example, if a mergeable book has no year, ``set(_:)`` can keep the year of the stored
    /// book, and this method removes it.
    ///
    /// - Parameter value: The value to store.
    /// - Returns: The value that is stored afterwards.
    @discardableResult
    func replace<Value: Identifiable & Sendable>(_ value: Value) -> Value where Value.ID: Sendable

    /// Changes a value in place, if there is one, in an atomic read, modification and write.
    ///
    /// The result is stored without merging. Writes that the closure makes to other entities of the
    /// cache belong to the same commit. A write to the same entity is overwritten by the closure's
    /// result, so change the argument instead. If the closure throws an error, all of these writes
    /// are rolled back.
    ///
    /// ## Concurrency
    /// The closure runs on the calling thread, before this method returns, under the writers' lock:
    /// other writers wait for it, readers don't.
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier. The closure must not change it.
    ///   - body: A closure that changes the value.
    /// - Returns: The value that is stored afterwards, or `nil` if there was no value, in which
    ///   case the closure isn't called.
    /// - Throws: The error that the closure throws.
    @discardableResult
    func update<Value: Identifiable & Sendable, Failure: Error>(
        _ type: Value.Type,
        id: Value.ID,
        _ body: (inout Value) throws(Failure) -> Void
    ) throws(Failure) -> Value? where Value.ID: Sendable

    /// Removes a value.
    ///
    /// For example, `cache.remove(Book.self, id: 1)` removes the book with the identifier 1.
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier.
    /// - Returns: The removed value, or `nil` if there was none.
    @discardableResult
    func remove<Value: Identifiable & Sendable>(_ type: Value.Type, id: Value.ID) -> Value?
    where Value.ID: Sendable

    /// Removes all values of a type, in one commit.
    ///
    /// - Parameter type: The type under which the values are stored.
    /// - Returns: The number of removed values.
    /// - Complexity: O(*n*) in the number of values of that type.
    @discardableResult
    func removeAll<Value: Identifiable & Sendable>(_ type: Value.Type) -> Int
    where Value.ID: Sendable

    /// Removes all values, in one commit.
    ///
    /// - Returns: The number of removed values.
    /// - Complexity: O(*n*) in the number of values.
    @discardableResult
    func removeAll() -> Int

    /// Makes the value of an entity stale, if there is one.
    ///
    /// See ``Cache/invalidate(_:id:)``.
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier.
    func invalidate<Value: Identifiable & Sendable>(_ type: Value.Type, id: Value.ID)
    where Value.ID: Sendable

    /// Makes all values of a type stale, in one commit.
    ///
    /// See ``Cache/invalidate(_:)``.
    ///
    /// - Parameter type: The type under which the values are stored.
    func invalidate<Value: Identifiable & Sendable>(_ type: Value.Type) where Value.ID: Sendable

    /// Makes the values of a type stale that meet a condition, in one commit.
    ///
    /// See ``Cache/invalidate(_:where:)``.
    ///
    /// - Parameters:
    ///   - type: The type under which the values are stored.
    ///   - isChosen: A closure that selects the values.
    /// - Throws: The error that the closure throws.
    /// - Complexity: O(*n*) in the number of values of that type.
    func invalidate<Value: Identifiable & Sendable, Failure: Error>(
        _ type: Value.Type,
        where isChosen: (Value) throws(Failure) -> Bool
    ) throws(Failure) where Value.ID: Sendable

    /// Returns a handle to a named list of entities, whether or not the list exists yet.
    ///
    /// On a batch, the list shows the batch's own writes.
    ///
    /// - Parameters:
    ///   - name: The name of the list.
    ///   - type: The type of its elements.
    ///   - pinsElements: A Boolean value that indicates whether changes through the handle make the
    ///     list pin its elements. See ``CachedList``.
    func list<Element: Identifiable & Sendable>(
        _ name: String,
        of type: Element.Type,
        pinsElements: Bool
    ) -> CachedList<Element> where Element.ID: Sendable

    /// Returns a handle to an alias, whether or not it exists yet.
    ///
    /// On a batch, the alias shows the batch's own writes.
    ///
    /// - Parameters:
    ///   - name: The name of the alias.
    ///   - type: The type of its target.
    ///   - pinsTarget: A Boolean value that indicates whether a target that is set through the
    ///     handle is pinned. See ``CachedAlias``.
    func alias<Value: Identifiable & Sendable>(
        _ name: String,
        of type: Value.Type,
        pinsTarget: Bool
    ) -> CachedAlias<Value> where Value.ID: Sendable

    /// Runs a closure whose writes become visible together, and roll back together if it throws.
    ///
    /// On a cache, the writes become one commit. On a batch, they belong to the commit of the
    /// batch; if the closure throws and the batch catches the error, they alone roll back.
    ///
    /// ## Concurrency
    /// See ``Cache/performBatchUpdates(_:)``.
    ///
    /// - Parameter updates: A closure that writes to the batch that it receives. That batch is
    ///   valid until the closure returns.
    /// - Returns: The closure's result.
    /// - Throws: The error that the closure throws.
    @discardableResult
    func performBatchUpdates<Result, Failure: Error>(
        _ updates: (CacheBatch) throws(Failure) -> Result
    ) throws(Failure) -> Result
}

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
