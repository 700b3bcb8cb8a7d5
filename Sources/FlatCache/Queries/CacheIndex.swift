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
    ///   - name: The name that identifies the index among the indexes of the entity's type.
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
    ///   - name: The name that identifies the index among the indexes of the entity's type.
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

extension CachedQuery {
    /// Returns a query of the entities that also have a key in an index.
    ///
    /// ```swift
    /// let byAuthor = CacheIndex("author", \Book.author)
    /// let books = cache.query(Book.self).where(byAuthor, equals: Related("le-guin"))
    /// ```
    ///
    /// With an index of a relationship, the query is the inverse of the relationship. If a query
    /// has conditions on several indexes, a run reads the entities of the condition that the fewest
    /// entities meet.
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - key: The key.
    /// - Complexity: A run of the query takes O(*k* + log *n*) to read the *k* entities that meet
    ///   the condition, of *n* entities in the index.
    public func `where`<Key: Hashable & Sendable>(
        _ index: CacheIndex<Element, Key>,
        equals key: Key
    ) -> CachedQuery {
        self.where(index, in: [key])
    }

    /// Returns a query of the entities that also have at least one of several keys in an index.
    ///
    /// ```swift
    /// let byAuthor = CacheIndex("author", \Book.author)
    /// let books = cache.query(Book.self).where(byAuthor, in: [Related("le-guin"), Related("lem")])
    /// ```
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - keys: The keys.
    /// - Complexity: As for `where(_:equals:)`, for each key.
    public func `where`<Key: Hashable & Sendable>(
        _ index: CacheIndex<Element, Key>,
        in keys: Set<Key>
    ) -> CachedQuery {
        filtered(by: IndexCondition(index: index, keys: .keys(keys)))
    }

    /// Returns a query of the entities that also have a key in a range of an index.
    ///
    /// ```swift
    /// let byYear = CacheIndex("year", \Book.year)
    /// let books = cache.query(Book.self).where(byYear, in: 1960..<1970)
    /// ```
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - range: The range, such as `1960..<1970`, `...1970` or `1960...`.
    /// - Complexity: As for `where(_:equals:)`.
    public func `where`<Key: Hashable & Comparable & Sendable>(
        _ index: CacheIndex<Element, Key>,
        in range: some RangeExpression<Key> & Sendable
    ) -> CachedQuery {
        filtered(by: IndexCondition(index: index, keys: .range(IndexRange(range))))
    }

    /// Returns a query of the entities whose referring entities meet a condition.
    ///
    /// For example, these queries contain the authors who have a book from 1970 or later, and those
    /// who have no book:
    ///
    /// ```swift
    /// let byAuthor = CacheIndex("author", \Book.author)
    /// let authors = cache.query(Author.self)
    /// let recent = authors.where(byAuthor) { $0.contains { $0.year ?? 0 >= 1970 } }
    /// let others = authors.where(byAuthor) { $0.isEmpty }
    /// ```
    ///
    /// While the cache keeps the query current, a change of a book evaluates the condition for the
    /// book's author alone, in the same commit.
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its argument alone. If it writes to the cache, the process traps.
    ///
    /// - Parameters:
    ///   - index: An index whose keys refer to the entities of the query.
    ///   - condition: A closure that receives the values that refer to an entity, in any order.
    /// - Complexity: For each evaluated entity, O(*k* + log *n*) to read the *k* values that refer
    ///   to it, of *n* in the index.
    public func `where`<Referring: Identifiable & Sendable>(
        _ index: CacheIndex<Referring, Related<Element>>,
        _ condition: @escaping @Sendable ([Referring]) -> Bool
    ) -> CachedQuery where Referring.ID: Sendable {
        self.where(index) { values, _ in condition(values) }
    }

    /// Returns a query of the entities whose referring entities meet a condition that reads other
    /// entities.
    ///
    /// See `where(_:_:)` with a closure of one argument.
    ///
    /// ```swift
    /// let byAuthor = CacheIndex("author", \Book.author)
    /// let authors = cache.query(Author.self).where(byAuthor) { books, cache in
    ///     books.contains { $0.publisher?.value(in: cache)?.name == "Parnassus Press" }
    /// }
    /// ```
    ///
    /// ## Concurrency
    /// The cache calls the closure as it calls one of a single argument. It must depend on its
    /// arguments alone, and read the cache only through the second one.
    ///
    /// - Parameters:
    ///   - index: An index whose keys refer to the entities of the query.
    ///   - condition: A closure that receives the values that refer to an entity, in any order, and
    ///     a reader of other entities.
    /// - Complexity: As for a closure of one argument.
    public func `where`<Referring: Identifiable & Sendable>(
        _ index: CacheIndex<Referring, Related<Element>>,
        _ condition: @escaping @Sendable ([Referring], QueryReader) -> Bool
    ) -> CachedQuery where Referring.ID: Sendable {
        with {
            $0.conditions.append { condition($1.values(of: index, for: Related($0.id)), $1) }
            $0.readIndexes.append(index)
            $0.usesReader = true
        }
    }

    private func filtered<Key>(by condition: IndexCondition<Element, Key>) -> CachedQuery {
        with {
            // The condition comes before conditions that read other entities. The cache doesn't
            // evaluate values that the index leaves out, so evaluating them must read no entities.
            $0.conditions.insert({ value, _ in condition.holds(for: value) }, at: 0)
            $0.indexConditions.append(condition)
        }
    }
}
