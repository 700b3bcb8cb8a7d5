/// What can be read from and written to a ``Cache`` and a ``CacheBatch`` alike.
///
/// One ingest function serves both:
///
/// ```swift
/// func ingest(_ response: Response, into cache: some CacheType) {
///     cache.set(contentsOf: response.books)
///     cache.set(contentsOf: response.authors)
/// }
/// ```
///
/// On a cache every call is a commit of its own, and its observers are notified. On a batch the
/// calls belong to the one commit of the batch.
///
/// A value that is `Equatable` and equal to the one that is stored changes nothing: what is stored
/// stays, and nobody is notified.
public protocol CacheType: ReadableCache {
    /// Stores a value, merging it into the one that is stored if it is ``Mergeable``.
    ///
    /// - Parameter value: The value to store.
    /// - Returns: What is stored now.
    @discardableResult
    func set<Value: Identifiable & Sendable>(_ value: Value) -> Value where Value.ID: Sendable

    /// Stores values as ``set(_:)`` does, in one commit.
    ///
    /// - Parameter values: The values to store. One identifier may come several times; the values
    ///   are then set in their order.
    /// - Returns: For each of the values, in their order, what setting it stored.
    /// - Complexity: O(*n*) in the number of the values.
    @discardableResult
    func set<Value: Identifiable & Sendable>(contentsOf values: some Sequence<Value>) -> [Value]
    where Value.ID: Sendable

    /// Stores a value that was modified at a time, unless what is stored was modified later.
    ///
    /// See ``Cache/set(_:modifiedAt:)``.
    ///
    /// - Parameters:
    ///   - value: The value to store.
    ///   - stamp: When the value was modified: a date, a revision, a sequence number; of one type for
    ///     all values of a type.
    /// - Returns: What is stored now.
    @discardableResult
    func set<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        _ value: Value,
        modifiedAt stamp: Stamp
    ) -> Value where Value.ID: Sendable

    /// Stores values as ``set(_:modifiedAt:)`` does, in one commit.
    ///
    /// - Parameters:
    ///   - values: The values to store.
    ///   - stamp: When the values were modified, such as the date of the response that brought them.
    /// - Returns: For each of the values, in their order, what is stored then.
    /// - Complexity: O(*n*) in the number of the values.
    @discardableResult
    func set<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        contentsOf values: some Sequence<Value>,
        modifiedAt stamp: Stamp
    ) -> [Value] where Value.ID: Sendable

    /// Stores a value as it is, without merging.
    ///
    /// - Parameter value: The value to store.
    /// - Returns: What is stored now.
    @discardableResult
    func replace<Value: Identifiable & Sendable>(_ value: Value) -> Value where Value.ID: Sendable

    /// Changes a value in place, if there is one: an atomic read, modification and write.
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
    func update<Value: Identifiable & Sendable, Failure: Error>(
        _ type: Value.Type,
        id: Value.ID,
        _ body: (inout Value) throws(Failure) -> Void
    ) throws(Failure) -> Value? where Value.ID: Sendable

    /// Removes a value.
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier.
    /// - Returns: The value that was removed, or `nil` if there was none.
    @discardableResult
    func remove<Value: Identifiable & Sendable>(_ type: Value.Type, id: Value.ID) -> Value?
    where Value.ID: Sendable

    /// Removes all values of a type, in one commit.
    ///
    /// - Parameter type: The type under which the values are stored.
    /// - Returns: How many values were removed.
    /// - Complexity: O(*n*) in the number of values of that type.
    @discardableResult
    func removeAll<Value: Identifiable & Sendable>(_ type: Value.Type) -> Int
    where Value.ID: Sendable

    /// Removes all values, in one commit.
    ///
    /// - Returns: How many values were removed.
    /// - Complexity: O(*n*) in the number of values.
    @discardableResult
    func removeAll() -> Int

    /// Returns the list of entities that has a name, whether or not it exists yet.
    ///
    /// The list of a batch shows the batch's own writes.
    ///
    /// - Parameters:
    ///   - name: The name of the list.
    ///   - type: The type of its elements.
    ///   - pinsElements: Whether changes through the result leave a list that pins its elements: see
    ///     ``CachedList``.
    func list<Element: Identifiable & Sendable>(
        _ name: String,
        of type: Element.Type,
        pinsElements: Bool
    ) -> CachedList<Element> where Element.ID: Sendable

    /// Points an alias to an entity, or nowhere.
    ///
    /// - Parameters:
    ///   - alias: The alias.
    ///   - id: The identifier of the entity, which need not be there yet; `nil` for nowhere.
    func point<Value: Identifiable & Sendable>(_ alias: CachedAlias<Value>, to id: Value.ID?)
    where Value.ID: Sendable

    /// Stores a value as ``set(_:)`` does and points an alias to it, in one commit.
    ///
    /// - Parameters:
    ///   - value: The value to store.
    ///   - alias: The alias.
    /// - Returns: The value that is stored now.
    @discardableResult
    func set<Value: Identifiable & Sendable>(
        _ value: Value,
        as alias: CachedAlias<Value>
    ) -> Value where Value.ID: Sendable
}
