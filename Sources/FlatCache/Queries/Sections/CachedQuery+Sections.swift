extension CachedQuery {
    /// Returns the elements in sections of equal keys.
    ///
    /// ```swift
    /// let years = cache.query(Book.self).sorted(by: \.title).sections(by: \.year, .descending)
    /// for section in years.value { print(section.key ?? 0, section.elements.map(\.title)) }
    /// ```
    ///
    /// The query's own order applies inside a section. The section of elements without a key comes
    /// last in both directions. `limit` and `offset` apply in the order of the sections.
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its argument alone. If it writes to the cache, the process traps.
    ///
    /// - Parameters:
    ///   - key: A closure that returns the key of a value's section, or `nil`.
    ///   - direction: The direction of the sections.
    @inlinable
    public func sections<Key: Hashable & Comparable & Sendable>(
        by key: @escaping @Sendable (Element) -> Key?,
        _ direction: SortDirection = .ascending
    ) -> QuerySections<Key, Element> {
        sections(direction, usesReader: false) { value, _ in key(value) }
    }

    /// Returns the elements in sections of equal keys that depend on other entities.
    ///
    /// If a commit changes an entity that the closure has read for elements, these elements change
    /// their sections in the same commit. See `sections(by:_:)` with a closure of one argument.
    ///
    /// ```swift
    /// let authors = cache.query(Book.self).sorted(by: \.year).sections { book, cache in
    ///     book.author.flatMap { cache[$0] }?.name
    /// }
    /// print(authors["Ursula K. Le Guin"].map(\.title))
    /// ```
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its arguments alone, and read the cache only through the second one. If it
    /// writes to the cache, the process traps.
    ///
    /// - Parameters:
    ///   - key: A closure that returns the key of a value's section, or `nil`. It may read other
    ///     entities from its second argument.
    ///   - direction: The direction of the sections.
    @inlinable
    public func sections<Key: Hashable & Comparable & Sendable>(
        by key: @escaping @Sendable (Element, QueryReader) -> Key?,
        _ direction: SortDirection = .ascending
    ) -> QuerySections<Key, Element> {
        sections(direction, usesReader: true, key)
    }

    @inlinable
    func sections<Key: Hashable & Comparable & Sendable>(
        _ direction: SortDirection,
        usesReader: Bool,
        _ key: @escaping @Sendable (Element, QueryReader) -> Key?
    ) -> QuerySections<Key, Element> {
        let source = SectionSource(
            query: self,
            isDescending: direction == .descending,
            usesReader: usesReader,
            key: key
        )
        let definition = source.definition(
            usesReader: false,
            output: { _, _ in () },
            isUpdated: { _, _, isValueChanged in isValueChanged }
        )
        return sectioned(definition, source)
    }

    @usableFromInline
    func sectioned<Key: Hashable & Comparable & Sendable>(
        _ definition: QueryDefinition<Element, SectionMember<Key, Void>>,
        _ source: SectionSource<Key, Element>
    ) -> QuerySections<Key, Element> {
        QuerySections(sectionProjection(definition) { $0.value(of: $1.id) }, source)
    }

    @usableFromInline
    func sectioned<Key: Hashable & Comparable & Sendable, Row: Equatable & Sendable>(
        _ definition: QueryDefinition<Element, SectionMember<Key, Row>>,
        isDescending: Bool
    ) -> MappedSections<Key, Element, Row> {
        MappedSections(
            sectionProjection(definition) { $1.payload.output },
            isDescending: isDescending
        )
    }

    /// Returns a projection whose value consists of sections of items.
    private func sectionProjection<Key: Hashable & Comparable & Sendable, Output, Item: Sendable>(
        _ definition: QueryDefinition<Element, SectionMember<Key, Output>>,
        _ item: @escaping SectionItem<Element, Key, Output, Item>
    ) -> LiveProjection<Element, SectionMember<Key, Output>, [QuerySection<Key, Item>]> {
        let latest = LatestOutput<Element, SectionMember<Key, Output>, [QuerySection<Key, Item>]>(
            computing: { $0.sections(item) },
            updating: { $2.update(&$0, $1, item) }
        )
        return projection(definition) { latest.output(of: $0) }
    }
}
