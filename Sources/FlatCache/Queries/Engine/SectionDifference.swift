/// The difference between the sections of a query before and after a commit.
struct SectionDifference<
    Key: Hashable & Comparable & Sendable,
    Element: Identifiable & Sendable,
    Output: Sendable
> where Element.ID: Sendable {
    typealias Section = QuerySectionsChange<Key, Element>.Section
    private typealias Row = QueryRow<Element.ID, SectionMember<Key, Output>>
    private typealias Difference = TreeDifference<Element.ID>

    /// A section of the new result that is inserted or changed.
    struct Place {
        let key: Key?
        let index: Int
        let offsets: Range<Int>
        let isInserted: Bool
    }

    /// The removals and insertions that turn the old keys into the new ones.
    private(set) var keys: [CollectionDifference<Key?>.Change] = []
    /// The sections of both results whose elements or order have changed, in their order.
    private(set) var sections: [Section] = []
    /// The inserted and the changed sections, in their order.
    private(set) var places: [Place] = []

    private let old: SectionedRows<Element.ID, Key, Output>
    private let new: SectionedRows<Element.ID, Key, Output>
    /// The difference of the rows.
    ///
    /// A row that has another section than before is removed and inserted, even if it has stayed at
    /// its place among the rows.
    private var difference: Difference

    /// Computes the difference.
    ///
    /// - Complexity: O(*k* log *n*) for *k* changed rows of *n*.
    init(_ transition: QueryTransition<Element, SectionMember<Key, Output>>) {
        old = SectionedRows(transition.old, in: transition.oldShown)
        new = SectionedRows(transition.new, in: transition.shown)
        difference = transition.difference
        separateChangedSections()
        var updated = (transition.changes?.updated ?? []).sorted(by: Row.areInOrder)[...]
        for key in sortKeys(with: updated) {
            let end = updated.firstIndex { QuerySortKey.compareFirst($0.key, key) > 0 }
            append(key, updated[..<(end ?? updated.endIndex)])
            updated = updated[(end ?? updated.endIndex)...]
        }
    }

    /// Turns rows that have stayed, but in another section, into removals and insertions.
    private mutating func separateChangedSections() {
        for step in difference.stayed {
            guard let oldOffset = step.counterpart,
                QuerySortKey.compareFirst(old[oldOffset].key, new[step.offset].key) != 0
            else { continue }
            difference.removals.append(Difference.Step(offset: oldOffset, id: step.id))
            difference.insertions.append(Difference.Step(offset: step.offset, id: step.id))
        }
        difference.removals.sort { $0.offset < $1.offset }
        difference.insertions.sort { $0.offset < $1.offset }
    }

    /// Returns a sort key of each section that the difference or updated rows concern, in order.
    private func sortKeys(with updated: ArraySlice<Row>) -> [QuerySortKey] {
        var keys = difference.removals.map { old[$0.offset].key }
        keys += difference.insertions.map { new[$0.offset].key }
        keys += updated.map(\.key)
        keys.sort { QuerySortKey.compareFirst($0, $1) < 0 }
        return keys.indices.compactMap { index in
            let isFirst =
                index == 0 || QuerySortKey.compareFirst(keys[index - 1], keys[index]) != 0
            return isFirst ? keys[index] : nil
        }
    }

    private mutating func append(_ key: QuerySortKey, _ updated: ArraySlice<Row>) {
        let oldOffsets = old.offsets(ofSectionAt: key)
        let offsets = new.offsets(ofSectionAt: key)
        let oldIndex = old.sectionCount(before: oldOffsets.lowerBound)
        let index = new.sectionCount(before: offsets.lowerBound)
        if offsets.isEmpty {
            // The updated rows may be outside the window.
            if oldOffsets.isEmpty { return }
            let key = old[oldOffsets.lowerBound].payload.key
            return keys.append(.remove(offset: oldIndex, element: key, associatedWith: nil))
        }
        let key = new[offsets.lowerBound].payload.key
        let place = Place(key: key, index: index, offsets: offsets, isInserted: oldOffsets.isEmpty)
        if place.isInserted {
            places.append(place)
            return keys.append(.insert(offset: index, element: key, associatedWith: nil))
        }
        var part = difference
        part.removals = Difference.steps(
            difference.removals,
            in: oldOffsets,
            counterpartsIn: offsets
        )
        part.insertions = Difference.steps(
            difference.insertions,
            in: offsets,
            counterpartsIn: oldOffsets
        )
        let changed = updated.filter { offsets.contains(new.offset(of: $0)) }
        let entered = part.insertions.filter { $0.counterpart == nil }
        let changedIDs = Set(changed.map(\.id)).subtracting(entered.map(\.id))
        if part.isEmpty, changedIDs.isEmpty { return }
        places.append(place)
        sections.append(
            Section(
                key: key,
                index: index,
                oldIndex: oldIndex,
                difference: part.collectionDifference,
                changedIDs: changedIDs
            )
        )
    }
}

/// The sections of a query before and after a commit.
struct SectionsTransition<
    Key: Hashable & Comparable & Sendable,
    Element: Identifiable & Sendable,
    Output: Sendable
>: Sendable where Element.ID: Sendable {
    typealias Payload = SectionMember<Key, Output>
    typealias Section = QuerySectionsChange<Key, Element>.Section

    let rows: QueryTransition<Element, Payload>
    let isDescending: Bool

    var old: SectionedRows<Element.ID, Key, Output> { SectionedRows(rows.old, in: rows.oldShown) }
    var new: SectionedRows<Element.ID, Key, Output> { SectionedRows(rows.new, in: rows.shown) }

    /// The changes of the sections that exist before and after the commit, in their order.
    var sections: [Section] { SectionDifference(rows).sections }

    /// The removals and insertions that turn the old keys into the new ones.
    var difference: CollectionDifference<Key?> {
        guard let difference = CollectionDifference(SectionDifference(rows).keys) else {
            preconditionFailure("Each section must be removed or inserted at most once.")
        }
        return difference
    }

    /// `true` if sections or rows were inserted, removed or moved.
    var hasNewOrder: Bool {
        let difference = SectionDifference(rows)
        return !difference.keys.isEmpty || difference.sections.contains { !$0.difference.isEmpty }
    }

    func ids(
        of key: Key?,
        in sections: SectionedRows<Element.ID, Key, Output>
    ) -> [Element.ID] {
        sections.ids(at: sections.offsets(ofSection: key, isDescending: isDescending))
    }

    /// Returns the rows of a section after the commit.
    func outputs(of key: Key?) -> [Output] {
        new.outputs(at: new.offsets(ofSection: key, isDescending: isDescending))
    }
}
