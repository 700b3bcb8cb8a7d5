/// The reads that a ``Cache``, a ``CacheBatch``, a ``CacheSnapshot`` and a ``QueryReader`` have in
/// common.
///
/// ```swift
/// func authorName(of id: Book.ID, in cache: some ReadableCache) -> String? {
///     cache[Book.self, id]?.author?.value(in: cache)?.name
/// }
/// print(authorName(of: 1, in: cache) ?? "")
/// print(cache.withSnapshot { authorName(of: 1, in: $0) } ?? "")
/// ```
///
/// Each call reads one consistent state: the latest commit of a cache, the state before a batch
/// together with the batch's own writes, the state in which a snapshot was taken, or the state that
/// a query evaluates. Each read returns stored values, fresh or stale. ``freshness(of:id:)`` tells
/// them apart.
///
/// A `QueryReader` traps for ``freshness(of:id:)``, ``count(of:)``, ``ids(of:)`` and
/// ``values(of:)``, since a query can't follow them.
public protocol ReadableCache {
    /// Returns the value of a type with an identifier, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier.
    func get<Value: Identifiable & Sendable>(_ type: Value.Type, id: Value.ID) -> Value?
    where Value.ID: Sendable

    /// Returns the freshness of an entity: missing, fresh or stale.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    func freshness<Value: Identifiable & Sendable>(of type: Value.Type, id: Value.ID) -> Freshness
    where Value.ID: Sendable

    /// Returns the number of values of a type.
    ///
    /// - Parameter type: The type under which the values are stored.
    func count<Value: Identifiable & Sendable>(of type: Value.Type) -> Int
    where Value.ID: Sendable

    /// Returns the identifiers of all values of a type, in no particular order.
    ///
    /// - Parameter type: The type under which the values are stored.
    /// - Complexity: O(*n*) in the number of values of that type.
    func ids<Value: Identifiable & Sendable>(of type: Value.Type) -> [Value.ID]
    where Value.ID: Sendable

    /// Returns all values of a type, in no particular order.
    ///
    /// - Parameter type: The type under which the values are stored.
    /// - Complexity: O(*n*) in the number of values of that type.
    func values<Value: Identifiable & Sendable>(of type: Value.Type) -> [Value]
    where Value.ID: Sendable
}

extension ReadableCache {
    /// Returns the value with an identifier, or `nil` if there is none.
    ///
    /// The type is inferred: `let book: Book? = cache.get(1)`.
    ///
    /// - Parameter id: The value's identifier.
    @inlinable
    public func get<Value: Identifiable & Sendable>(_ id: Value.ID) -> Value?
    where Value.ID: Sendable {
        get(Value.self, id: id)
    }

    /// The value of a type with an identifier, or `nil` if there is none.
    ///
    /// ```swift
    /// print(cache[Book.self, 1]?.title ?? "not here")
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier.
    @inlinable
    public subscript<Value: Identifiable & Sendable>(_ type: Value.Type, id: Value.ID) -> Value?
    where Value.ID: Sendable {
        self.get(type, id: id)
    }

    /// The value of the entity that a reference refers to, or `nil` if it has none.
    ///
    /// ```swift
    /// let book = cache[Book.self, 1]
    /// print(book?.author.flatMap { cache[$0] }?.name ?? "unknown")
    /// ```
    ///
    /// - Parameter related: The reference.
    @inlinable
    public subscript<Value: Identifiable & Sendable>(_ related: Related<Value>) -> Value?
    where Value.ID: Sendable {
        self.get(Value.self, id: related.id)
    }

    /// Returns a Boolean value that indicates whether there is a value with an identifier, fresh or
    /// stale.
    ///
    /// ```swift
    /// if !cache.contains(Book.self, id: 1) { print("to be loaded") }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier.
    @inlinable
    public func contains<Value: Identifiable & Sendable>(_ type: Value.Type, id: Value.ID) -> Bool
    where Value.ID: Sendable {
        get(type, id: id) != nil
    }
}
