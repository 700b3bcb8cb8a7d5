/// An index of the entities of a type by a key that is computed from their values.
///
/// ```swift
/// extension Book {
///     static let byAuthor = CacheIndex("author", \Book.author)
/// }
///
/// let books = cache.query(Book.self).where(Book.byAuthor, equals: Related("le-guin"))
/// ```
///
/// A query with a condition on an index reads only the entities that meet the condition, instead of
/// all entities of the type. While the cache keeps the query current, a write evaluates it only if
/// the old or the new value has one of the keys. Conditions on equal keys take any `Hashable` key,
/// and conditions on a range take comparable keys.
///
/// A cache makes an index when a query first uses the index, in O(*n*) for *n* stored entities.
/// If ``CacheConfiguration/index(_:)`` declares the index, the initializer of the cache makes it.
/// From then on, each commit keeps the index current until the cache is deallocated. A query in a
/// snapshot or a batch reads the index as of its state. An entity whose key is `nil` isn't in the
/// index.
///
/// Declare an index once, as a static constant: two indexes of a type whose names and key types are
/// equal are the same index.
public struct CacheIndex<Entity: Identifiable & Sendable, Key: Hashable & Sendable>: Sendable
where Entity.ID: Sendable {
    /// The name of the index.
    public let name: String

    /// A closure that calls another closure with each key of a value.
    @usableFromInline let forEachKey: @Sendable (Entity, (Key) -> Void) -> Void
    /// The steps of the live query that contains the index.
    @usableFromInline let steps: QuerySteps<Entity, NoPayload>

    /// Creates an index with one key per entity.
    ///
    /// ```swift
    /// let byYear = CacheIndex<Book, Int>("year") { $0.year }
    /// let books = cache.query(Book.self).where(byYear, in: 1960...)
    /// ```
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads or begins to observe a query with the
    /// index, or commits. In a commit and in a batch, the closure runs under the writers' lock. It
    /// must depend on its argument alone. If it writes to the cache, the process traps.
    ///
    /// - Parameters:
    ///   - name: The name, which identifies the index among the indexes of the entity's type.
    ///   - key: A closure that returns the key of a value, or `nil` if it has none. It must depend
    ///     on the value alone.
    @inlinable
    public init(_ name: String, _ key: @escaping @Sendable (Entity) -> Key?) {
        self.name = name
        steps = QuerySteps()
        forEachKey = { entity, body in if let key = key(entity) { body(key) } }
    }

    /// Creates an index with any number of keys per entity.
    ///
    /// ```swift
    /// let byWord = CacheIndex<Book, Substring>("word") { $0.title.split(separator: " ") }
    /// let books = cache.query(Book.self).where(byWord, equals: "Earthsea")
    /// ```
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads or begins to observe a query with the
    /// index, or commits. In a commit and in a batch, the closure runs under the writers' lock. It
    /// must depend on its argument alone. If it writes to the cache, the process traps.
    ///
    /// - Parameters:
    ///   - name: The name, which identifies the index among the indexes of the entity's type.
    ///   - keys: A closure that returns the keys of a value. It must depend on the value alone.
    @inlinable
    public init<Keys: Sequence<Key> & Sendable>(
        _ name: String,
        each keys: @escaping @Sendable (Entity) -> Keys
    ) where Keys.Iterator: Sendable {
        self.name = name
        steps = QuerySteps()
        forEachKey = { entity, body in for key in keys(entity) { body(key) } }
    }
}

extension CacheConfiguration {
    /// Declares an index that the initializer of the cache makes.
    ///
    /// ```swift
    /// var configuration = CacheConfiguration()
    /// configuration.index(CacheIndex("year", \Book.year))
    /// let cache = Cache(configuration: configuration)
    /// ```
    ///
    /// Without this declaration, the cache makes the index when a query first uses it.
    ///
    /// - Parameter index: The index.
    @inlinable
    public mutating func index<Entity: Identifiable & Sendable, Key: Hashable & Sendable>(
        _ index: CacheIndex<Entity, Key>
    ) where Entity.ID: Sendable {
        indexes.append { core in core.makeIndex(index, of: core.tables.table(of: Entity.self)) }
    }
}
