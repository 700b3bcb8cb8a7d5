extension CachedQuery {
    /// Returns a projection of each element to a row that a closure computes.
    ///
    /// The cache computes a row again only if a commit changes its element or an entity that the
    /// closure has read for the row.
    ///
    /// ```swift
    /// struct BookRow: Equatable, Sendable { var title: String, author: String? }
    ///
    /// let rows = cache.query(Book.self).sorted(by: \.title).map { book, cache in
    ///     BookRow(title: book.title, author: book.author.flatMap { cache[$0] }?.name)
    /// }
    /// let observation = rows.observeChanges { change in print(change.difference.count) }
    /// ```
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the projection, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its arguments alone, and read the cache only through the second one. If it
    /// writes to the cache, the process traps.
    ///
    /// - Parameter transform: A closure that returns the row of a value. It may read other entities
    ///   from its second argument.
    @inlinable
    public func map<Row: Equatable & Sendable>(
        _ transform: @escaping @Sendable (Element, QueryReader) -> Row
    ) -> MappedQuery<Element, Row> {
        mapped(usesReader: true, transform)
    }

    /// Returns a projection of each element to a row that depends on the element alone.
    ///
    /// ```swift
    /// let titles = cache.query(Book.self).sorted(by: \.year).map { $0.title }
    /// ```
    ///
    /// See `map(_:)` with a closure of two arguments.
    ///
    /// ## Concurrency
    /// As for a closure of two arguments. The closure must depend on its argument alone.
    ///
    /// - Parameter transform: A closure that returns the row of a value.
    @inlinable
    public func map<Row: Equatable & Sendable>(
        _ transform: @escaping @Sendable (Element) -> Row
    ) -> MappedQuery<Element, Row> {
        mapped(usesReader: false) { value, _ in transform(value) }
    }

    @inlinable
    func mapped<Row: Equatable & Sendable>(
        usesReader: Bool,
        _ transform: @escaping @Sendable (Element, QueryReader) -> Row
    ) -> MappedQuery<Element, Row> {
        mapped(
            plan.definition(
                usesReader: usesReader,
                payload: { MappedRow(output: transform($0, $1)) },
                isUpdated: { old, new, _ in old.output != new.output },
                combining: NoSummary()
            )
        )
    }

    @usableFromInline
    func mapped<Row: Equatable & Sendable>(
        _ definition: QueryDefinition<Element, MappedRow<Row>>
    ) -> MappedQuery<Element, Row> {
        let latest = LatestOutput<Element, MappedRow<Row>, [Row]>(
            computing: { $0.outputs() },
            updating: { $2.update(&$0, $1) }
        )
        return MappedQuery(projection(definition) { latest.output(of: $0) })
    }

    /// Returns a projection whose value a closure computes from the result of a definition.
    func projection<Payload: QueryPayload, Output: Sendable>(
        _ definition: QueryDefinition<Element, Payload>,
        isChanged: (@Sendable (QueryTransition<Element, Payload>) -> Bool)? = nil,
        _ output: @escaping @Sendable (QueryResult<Element, Payload>) -> Output
    ) -> LiveProjection<Element, Payload, Output> {
        LiveProjection(
            live: LiveQuery(definition, number: core.nextRegistration(), of: live.table),
            core: core,
            isChanged: isChanged,
            output: output
        )
    }
}
