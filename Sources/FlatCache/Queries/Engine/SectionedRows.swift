/// The rows of one version that a window shows, divided into sections of equal keys.
///
/// An offset is the number of shown rows before a row.
struct SectionedRows<ID: Hashable & Sendable, Key: Hashable & Sendable, Output: Sendable>:
    Sendable
{
    typealias Payload = SectionMember<Key, Output>

    private let rows: QueryRows<ID, Payload>
    private let shown: Range<Int>

    init(_ rows: QueryRows<ID, Payload>, in shown: Range<Int>) {
        self.rows = rows
        self.shown = shown
    }

    /// The keys of the sections, in their order.
    ///
    /// - Complexity: O(*s* log *n*) for *s* sections.
    var keys: [Key?] {
        var keys: [Key?] = []
        var position = shown.lowerBound
        while position < shown.upperBound {
            let row = rows[position]
            keys.append(row.payload.key)
            position = rows.position { QuerySortKey.compareFirst($0.key, row.key) > 0 }
        }
        return keys
    }

    /// Returns the offsets of the rows of a section, or an empty range if there is no such section.
    ///
    /// - Parameter key: The sort key of the section or of one of its rows.
    func offsets(ofSectionAt key: QuerySortKey) -> Range<Int> {
        let start = rows.position { QuerySortKey.compareFirst($0.key, key) >= 0 }
        let end = rows.position { QuerySortKey.compareFirst($0.key, key) > 0 }
        let positions = (start..<end).clamped(to: shown)
        return positions.lowerBound - shown.lowerBound..<positions.upperBound - shown.lowerBound
    }

    /// Returns the offsets of the rows of a section, or an empty range if there is no such section.
    ///
    /// - Parameters:
    ///   - key: The key of the section.
    ///   - isDescending: `true` if the greatest key comes first.
    func offsets(ofSection key: Key?, isDescending: Bool) -> Range<Int> where Key: Comparable {
        offsets(ofSectionAt: QuerySortKey(key, isDescending: isDescending))
    }

    /// Returns the offset that a row has, or would have.
    func offset(of row: QueryRow<ID, Payload>) -> Int {
        rows.position(of: row) - shown.lowerBound
    }

    /// Returns the number of sections that begin before an offset.
    func sectionCount(before offset: Int) -> Int {
        rows.summary(of: shown.lowerBound..<shown.lowerBound + offset).count
    }

    subscript(offset: Int) -> QueryRow<ID, Payload> { rows[shown.lowerBound + offset] }

    func ids(at offsets: Range<Int>) -> [ID] { rows.ids(in: shown.positions(offsets)) }

    func outputs(at offsets: Range<Int>) -> [Output] {
        var outputs: [Output] = []
        outputs.reserveCapacity(offsets.count)
        rows.forEach(in: shown.positions(offsets)) { outputs.append($0.payload.output) }
        return outputs
    }
}

/// The payload of rows that are divided into sections of equal keys.
@usableFromInline
struct SectionMember<Key: Hashable & Sendable, Output: Sendable>: QueryPayload {
    @usableFromInline typealias Combining = NoSummary

    /// The number of sections that adjacent rows belong to, and the keys of the outer ones.
    @usableFromInline
    struct Summary: Sendable {
        @usableFromInline let count: Int
        @usableFromInline let first: Key?
        @usableFromInline let last: Key?

        @usableFromInline
        init(count: Int, first: Key?, last: Key?) {
            self.count = count
            self.first = first
            self.last = last
        }
    }

    /// The key of the section, or `nil` in the section of rows without a key.
    @usableFromInline let key: Key?
    /// The row that a closure has computed, or `()` if the rows are the elements.
    @usableFromInline let output: Output

    /// Creates the payload of a row.
    ///
    /// A key that doesn't equal itself, as NaN doesn't, can't be the key of a section.
    @usableFromInline
    init(key: Key?, output: Output) {
        self.key = key?.ifEqualToItself
        self.output = output
    }

    @usableFromInline static var emptySummary: Summary { Summary(count: 0, first: nil, last: nil) }

    @usableFromInline
    static func summary(of payload: SectionMember) -> Summary {
        Summary(count: 1, first: payload.key, last: payload.key)
    }

    @usableFromInline
    static func combine(_ first: Summary, _ second: Summary, _: NoSummary) -> Summary {
        if first.count == 0 { return second }
        if second.count == 0 { return first }
        let shared = first.last == second.first ? 1 : 0
        return Summary(
            count: first.count + second.count - shared,
            first: first.first,
            last: second.last
        )
    }
}

/// The query and the keys from which sections are made.
@usableFromInline
struct SectionSource<Key: Hashable & Comparable & Sendable, Element: Identifiable & Sendable>:
    Sendable
where Element.ID: Sendable {
    @usableFromInline let query: CachedQuery<Element>
    @usableFromInline let isDescending: Bool
    /// `true` if keys may depend on other entities.
    @usableFromInline let usesReader: Bool
    /// A closure that returns the key of a value's section, or `nil`.
    @usableFromInline let key: @Sendable (Element, QueryReader) -> Key?

    @usableFromInline
    init(
        query: CachedQuery<Element>,
        isDescending: Bool,
        usesReader: Bool,
        key: @escaping @Sendable (Element, QueryReader) -> Key?
    ) {
        self.query = query
        self.isDescending = isDescending
        self.usesReader = usesReader
        self.key = key
    }

    /// Returns the definition of a result whose rows are in sections.
    ///
    /// - Parameters:
    ///   - usesReader: `true` if the output may depend on other entities.
    ///   - output: A closure that returns the row of a value.
    ///   - isUpdated: A closure that returns whether a row has changed, whose key hasn't.
    @usableFromInline
    func definition<Output: Sendable>(
        usesReader: Bool,
        output: @escaping @Sendable (Element, QueryReader) -> Output,
        isUpdated: @escaping @Sendable (Output, Output, Bool) -> Bool
    ) -> QueryDefinition<Element, SectionMember<Key, Output>> {
        query.plan.definition(
            groupedBy: { [isDescending] in QuerySortKey($0.key, isDescending: isDescending) },
            usesReader: self.usesReader || usesReader,
            payload: { [key] in SectionMember(key: key($0, $1), output: output($0, $1)) },
            isUpdated: { old, new, isValueChanged in
                old.key != new.key || isUpdated(old.output, new.output, isValueChanged)
            },
            combining: NoSummary()
        )
    }
}

/// A closure that returns the item of a section for a row, or `nil` if its entity has no value.
typealias SectionItem<Element: Identifiable & Sendable, Key: Hashable & Sendable, Output, Item> =
    @Sendable (
        QueryResult<Element, SectionMember<Key, Output>>,
        QueryRow<Element.ID, SectionMember<Key, Output>>
    ) -> Item? where Element.ID: Sendable, Output: Sendable

extension QueryResult {
    func sections<Key: Comparable, Output, Item>(
        _ item: SectionItem<Element, Key, Output, Item>
    ) -> [QuerySection<Key, Item>] where Payload == SectionMember<Key, Output> {
        var sections: [QuerySection<Key, Item>] = []
        rows.forEach(in: shown) { row in
            guard let item = item(self, row) else { return }
            if sections.isEmpty || sections[sections.count - 1].key != row.payload.key {
                sections.append(QuerySection(key: row.payload.key, elements: []))
            }
            sections[sections.count - 1].elements.append(item)
        }
        return sections
    }

    func items<Key: Comparable, Output, Item>(
        ofSection key: Key?,
        isDescending: Bool,
        _ item: SectionItem<Element, Key, Output, Item>
    ) -> [Item] where Payload == SectionMember<Key, Output> {
        let sections = SectionedRows(rows, in: shown)
        return items(at: sections.offsets(ofSection: key, isDescending: isDescending), item)
    }

    private func items<Key, Output, Item>(
        at offsets: Range<Int>,
        _ item: SectionItem<Element, Key, Output, Item>
    ) -> [Item] where Payload == SectionMember<Key, Output> {
        var items: [Item] = []
        items.reserveCapacity(offsets.count)
        rows.forEach(in: shown.positions(offsets)) { row in
            if let item = item(self, row) { items.append(item) }
        }
        return items
    }

    /// Updates the sections before a commit to the sections of this result.
    func update<Key: Comparable, Output, Item>(
        _ sections: inout [QuerySection<Key, Item>],
        _ transition: QueryTransition<Element, Payload>,
        _ item: SectionItem<Element, Key, Output, Item>
    ) where Payload == SectionMember<Key, Output> {
        let difference = SectionDifference(transition)
        if difference.keys.count > Self.maximumMoves {
            sections = self.sections(item)
            return
        }
        for case .remove(let index, _, _) in difference.keys.reversed() {
            sections.remove(at: index)
        }
        for place in difference.places {
            let section = QuerySection(key: place.key, elements: items(at: place.offsets, item))
            if place.isInserted {
                sections.insert(section, at: place.index)
            } else {
                sections[place.index] = section
            }
        }
    }
}
