/// The payload of rows that are divided into sections of equal keys.
struct SectionMember<Key: Hashable & Sendable, Row: Sendable>: QueryPayload {
    typealias Summary = NoSummary
    typealias Combining = NoSummary

    /// The key of the section, or `nil` in the section of rows without a key.
    let key: Key?
    let row: Row
}

extension QueryRows {
    /// Returns the positions of the rows of a section, inside and outside of the window.
    func positions<Key: Comparable, Value>(
        ofSection key: Key?,
        _ direction: SortDirection
    ) -> Range<Int> where Payload == SectionMember<Key, Value> {
        positions(ofFirstKey: QuerySortKey(key, direction))
    }

    func sectionRows<Key, Value>(in positions: Range<Int>) -> [Value]
    where Payload == SectionMember<Key, Value> {
        payloads(in: positions).map(\.row)
    }
}

/// The sections of the rows that a window shows.
struct SectionTable<ID: Hashable & Sendable, Key: Hashable & Sendable, Row: Sendable> {
    private let rows: QueryRows<ID, SectionMember<Key, Row>>
    /// The keys of the sections, in their order.
    private(set) var keys: [Key?] = []
    /// The ranges of the rows of each section, from the start of the window.
    private(set) var offsets: [Range<Int>] = []
    private let shown: Range<Int>

    /// Creates the table.
    ///
    /// - Complexity: O(*s* log *n*) for *s* sections and *n* rows.
    init(_ rows: QueryRows<ID, SectionMember<Key, Row>>, _ shown: Range<Int>) {
        self.rows = rows
        self.shown = shown
        var start = 0
        while start < shown.count {
            let row = rows[shown.lowerBound + start]
            let next = rows.position { QuerySortKey.compareFirst($0, row.key) > 0 }
            let end = min(next, shown.upperBound) - shown.lowerBound
            keys.append(row.payload.key)
            offsets.append(start..<end)
            start = end
        }
    }

    var sections: [QuerySection<Key, Row>] {
        zip(keys, offsets).map { key, offsets in
            QuerySection(key: key, elements: rows.sectionRows(in: shown.positions(offsets)))
        }
    }
}

/// The difference between the sections of a query before and after a commit.
struct SectionsDifference<
    Key: Hashable & Comparable & Sendable,
    Element: Identifiable & Sendable,
    Row: Sendable
>
where Element.ID: Sendable {
    typealias Section = QuerySectionsChange<Key, Element, Row>.Section
    private typealias Rows = RowDifference<Element.ID>

    /// The removals and insertions that turn the old keys into the new ones.
    let keys: CollectionDifference<Key?>
    /// The sections of both results whose rows or order have changed, in their order.
    private(set) var sections: [Section] = []

    /// Computes the difference.
    ///
    /// - Complexity: O((*s* + *k*) log *n*) for *s* sections and *k* changed rows of *n*.
    init(_ transition: QueryTransition<Element, SectionMember<Key, Row>>) {
        let old = SectionTable(transition.old, transition.oldShown)
        let new = SectionTable(transition.new, transition.shown)
        keys = OrderDifference(from: old.keys, to: new.keys).difference
        let rows = Self.rows(transition)
        let updated = transition.changes.updated
            .map { row in
                let offset = transition.new.position(of: row) - transition.shown.lowerBound
                return Rows.Step(offset: offset, id: row.id)
            }
            .sorted { $0.offset < $1.offset }
        let oldIndices = Dictionary(zip(old.keys, old.keys.indices)) { $1 }
        for (index, key) in new.keys.enumerated() {
            guard let oldIndex = oldIndices[key] else { continue }
            let offsets = new.offsets[index]
            let part = rows.part(from: old.offsets[oldIndex], to: offsets)
            let changed = Rows.steps(updated, in: offsets, counterpartsIn: offsets)
            let entered = part.insertions.filter { $0.counterpart == nil }
            let changedIDs = Set(changed.map(\.id)).subtracting(entered.map(\.id))
            if part.isEmpty, changedIDs.isEmpty { continue }
            sections.append(
                Section(
                    key: key,
                    index: index,
                    oldIndex: oldIndex,
                    difference: part.collectionDifference(),
                    changedIDs: changedIDs
                )
            )
        }
    }

    /// Returns the difference of the rows, in which a row that has another section than before is
    /// removed and inserted, even if it has stayed at its place.
    private static func rows(
        _ transition: QueryTransition<Element, SectionMember<Key, Row>>
    ) -> Rows {
        var rows = transition.difference
        let (oldStart, start) = (transition.oldShown.lowerBound, transition.shown.lowerBound)
        for step in rows.stayed {
            guard let counterpart = step.counterpart,
                transition.old[oldStart + counterpart].payload.key
                    != transition.new[start + step.offset].payload.key
            else { continue }
            rows.removals.append(Rows.Step(offset: counterpart, id: step.id))
            rows.insertions.append(Rows.Step(offset: step.offset, id: step.id))
        }
        rows.sort()
        return rows
    }
}
