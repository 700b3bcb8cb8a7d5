/// A live query: the entities of a type that meet conditions, in an order.
///
/// ```swift
/// let query = cache.query(Book.self)
///     .where { ($0.year ?? 0) > 1970 }
///     .sorted(by: \.year, .descending).then(by: \.title)
///     .limit(50)
///
/// let observation = query.observe { books in print(books.map(\.title)) }
/// cache.set(Book(id: 7, title: "The Telling", year: 2000))
/// ```
///
/// While you observe a query, or keep a token of ``keepCurrent()``, the cache keeps the result
/// current. The result then changes in the commit that changes its entities, for every reader and
/// every snapshot, and reading it takes no longer than reading a list. Otherwise, each read runs
/// the query.
///
/// By default, a query pins none of its elements. If an element is removed, is evicted or expires,
/// it leaves the result in the same commit. See <doc:Queries>.
///
/// ## Concurrency
/// A query can be used on any thread, and doesn't keep the values of its cache alive. Reads never
/// wait for a writer.
///
/// The cache calls the closures of a query, a projection or an index on the thread that reads it,
/// begins to observe it, or commits. In a commit and in a batch, it calls them under the writers'
/// lock. A closure must depend on its arguments alone: equal arguments must give equal results. It
/// can read the cache through its second argument only. A closure that writes to the cache traps.
public final class CachedQuery<Element: Identifiable & Sendable>: Sendable
where Element.ID: Sendable {
    let core: CacheCore
    @usableFromInline let plan: QueryPlan<Element>
    let live: LiveQuery<Element, NoPayload>

    @usableFromInline
    init(_ plan: QueryPlan<Element>, in core: CacheCore, of table: Table<Element>) {
        self.core = core
        self.plan = plan
        live = core.liveQuery(plan, of: table)
    }

    /// Returns a query with a changed copy of the plan.
    @usableFromInline
    func with(_ change: (inout QueryPlan<Element>) -> Void) -> CachedQuery {
        var plan = plan
        change(&plan)
        return CachedQuery(plan, in: core, of: live.table)
    }
}

extension Cache {
    /// Returns a query of all entities of a type, without an order.
    ///
    /// ```swift
    /// let newest = cache.query(Book.self).where { $0.copies > 0 }.sorted(by: \.year, .descending)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type under which the entities are stored.
    ///   - pinsElements: A Boolean value that indicates whether the result pins its elements while
    ///     it's kept current. Limits, trimming, expiry and pruning don't remove pinned entities. A
    ///     query with a limit or an offset pins the elements that it shows. A query or a projection
    ///     whose closures read other entities by identifier also pins those that were read for the
    ///     shown elements. An element is pinned from the end of the commit in which it enters the
    ///     result.
    @inlinable
    public func query<Element: Identifiable & Sendable>(
        _ type: Element.Type,
        pinsElements: Bool = false
    ) -> CachedQuery<Element> where Element.ID: Sendable {
        let plan = QueryPlan<Element>(sharingKey: nil, pinsElements: pinsElements)
        return CachedQuery(plan, in: core, of: core.tables.table(of: type))
    }

    /// Returns a query of all entities of a type that shares its result with other queries.
    ///
    /// ```swift
    /// struct Filter: Hashable, Sendable { var year: Int }
    ///
    /// func books(_ filter: Filter) -> CachedQuery<Book> {
    ///     cache.query(Book.self, sharingKey: filter)
    ///         .where { $0.year == filter.year }
    ///         .sorted(by: \.title)
    /// }
    /// ```
    ///
    /// Closures can't be compared, so each query without a key keeps its own result. Queries keep
    /// one result if one call in the source code makes them, with equal keys of one type. Queries
    /// of different calls don't share, even if their keys are equal.
    ///
    /// The key must therefore determine the conditions and the order. Add them in the function that
    /// contains the call, as in the example.
    ///
    /// - Parameters:
    ///   - type: The type under which the entities are stored.
    ///   - key: A key of any `Hashable` type. Queries that one call in the source code makes with
    ///     equal keys share a result.
    ///   - pinsElements: A Boolean value that indicates whether the result pins its elements while
    ///     it's kept current, as for ``query(_:pinsElements:)``.
    ///   - fileID: The file of the call. A function that passes its own caller's position on shares
    ///     its result only among the calls at that position.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    @inlinable
    public func query<Element: Identifiable & Sendable>(
        _ type: Element.Type,
        sharingKey key: some Hashable & Sendable,
        pinsElements: Bool = false,
        fileID: String = #fileID,
        line: Int = #line,
        column: Int = #column
    ) -> CachedQuery<Element> where Element.ID: Sendable {
        let shared = SharedQueryValue(key, fileID: fileID, line: line, column: column)
        let plan = QueryPlan<Element>(sharingKey: shared, pinsElements: pinsElements)
        return CachedQuery(plan, in: core, of: core.tables.table(of: type))
    }
}

extension CachedQuery {
    /// Returns a query of the entities that also meet a condition.
    ///
    /// ```swift
    /// let available = cache.query(Book.self).where { $0.copies > 0 }
    /// ```
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its argument alone. If it writes to the cache, the process traps.
    ///
    /// - Parameter condition: A closure that depends on the value alone.
    public func `where`(_ condition: @escaping @Sendable (Element) -> Bool) -> CachedQuery {
        with { $0.conditions.append { value, _ in condition(value) } }
    }

    /// Returns a query of the entities that also meet a condition that reads other entities.
    ///
    /// See `where(_:)` with a closure of one argument.
    ///
    /// ```swift
    /// let query = cache.query(Book.self)
    ///     .where { book, cache in book.author?.value(in: cache)?.name == "Ursula K. Le Guin" }
    /// ```
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its arguments alone, and read the cache only through the second one. If it
    /// writes to the cache, the process traps.
    ///
    /// - Parameter condition: A closure that depends on the value and on the entities that it reads
    ///   from its second argument.
    public func `where`(
        _ condition: @escaping @Sendable (Element, QueryReader) -> Bool
    ) -> CachedQuery {
        with {
            $0.conditions.append(condition)
            $0.usesReader = true
        }
    }
}

extension CachedQuery {
    /// Returns a query with a maximum number of elements.
    ///
    /// ```swift
    /// let newest = cache.query(Book.self).sorted(by: \.year, .descending).limit(20)
    /// ```
    ///
    /// The limit applies to the ordered result, after the ``offset(_:)``. If an element leaves, the
    /// next one takes its place.
    ///
    /// - Parameter count: The maximum number of elements. A negative number is a programmer error
    ///   and traps.
    public func limit(_ count: Int) -> CachedQuery {
        precondition(count >= 0, "A query can't show \(count) elements: give zero or more.")
        return with { $0.window.limit = count }
    }

    /// Returns a query without the first elements of the ordered result.
    ///
    /// ```swift
    /// let secondPage = cache.query(Book.self).sorted(by: \.title).offset(20).limit(20)
    /// ```
    ///
    /// - Parameter count: The number of elements to leave out. A negative number is a programmer
    ///   error and traps.
    public func offset(_ count: Int) -> CachedQuery {
        precondition(count >= 0, "A query can't leave out \(count) elements: give zero or more.")
        return with { $0.window.offset = count }
    }
}

extension CachedQuery {
    /// The elements of the result, in their order, all from one consistent state.
    ///
    /// ```swift
    /// let classics = cache.query(Book.self).where { ($0.year ?? .max) < 1970 }.sorted(by: \.title)
    /// for book in classics.elements { print(book.title) }
    /// ```
    ///
    /// - Complexity: O(*n*) in the number of elements, if the result is current. Otherwise, the
    ///   query runs.
    public var elements: [Element] { live.read(in: core) { $0.elements(at: 0...) } ?? [] }

    /// The identifiers of the elements, in their order.
    ///
    /// - Complexity: As for ``elements``.
    public var ids: [Element.ID] { live.read(in: core) { $0.ids } ?? [] }

    /// The number of elements.
    ///
    /// - Complexity: O(1), if the result is current. Otherwise, the query runs.
    public var count: Int { live.read(in: core) { $0.shown.count } ?? 0 }

    /// The elements at some positions of the result, in their order.
    ///
    /// ```swift
    /// let newest = cache.query(Book.self).sorted(by: \.year, .descending)
    /// print(newest[..<20].map(\.title))  // the first screen
    /// ```
    ///
    /// The array leaves out positions beyond the end of the result, so a screen can read as many
    /// elements as it has room for.
    ///
    /// - Parameter positions: The positions.
    /// - Complexity: O(log *n* + *k*) for *k* of *n* elements, if the result is current. Otherwise,
    ///   the query runs.
    public subscript(positions: some RangeExpression<Int>) -> [Element] {
        live.read(in: core) { $0.elements(at: positions) } ?? []
    }

    /// Returns the position of an element, or `nil` if the result doesn't contain it.
    ///
    /// ```swift
    /// let newest = cache.query(Book.self).sorted(by: \.year, .descending)
    /// if let index = newest.index(ofID: 1) { print("scroll to row \(index)") }
    /// ```
    ///
    /// - Parameter id: The identifier of the element.
    /// - Complexity: O(log *n*) in the number of elements, if the result is current. Otherwise, the
    ///   query runs.
    public func index(ofID id: Element.ID) -> Int? {
        live.read(in: core) { $0.index(of: id) } ?? nil
    }

    /// Returns the elements in a cache, a batch or a snapshot, in their order.
    ///
    /// ```swift
    /// let available = cache.query(Book.self).where { $0.copies > 0 }
    /// cache.performBatchUpdates { batch in
    ///     batch.set(Book(id: 9, title: "Kindred", copies: 3))
    ///     print(available.elements(in: batch).map(\.title))  // Kindred among them
    /// }
    /// ```
    ///
    /// The result in a batch includes the batch's writes so far.
    ///
    /// - Parameter cache: The cache of the query, a batch or a snapshot of it. Another cache is a
    ///   programmer error and traps.
    /// - Complexity: O(*n*) in the number of elements, if the result was kept current in the state
    ///   that is read. Otherwise, the query runs.
    public func elements(in cache: some ReadableCache) -> [Element] {
        live.read(in: cache, core) { $0.elements(at: 0...) }
    }

    /// Returns the identifiers of the elements in a cache, a batch or a snapshot, in their order.
    ///
    /// - Parameter cache: The cache of the query, a batch or a snapshot of it.
    /// - Complexity: As for ``elements(in:)``.
    public func ids(in cache: some ReadableCache) -> [Element.ID] {
        live.read(in: cache, core) { $0.ids }
    }
}
