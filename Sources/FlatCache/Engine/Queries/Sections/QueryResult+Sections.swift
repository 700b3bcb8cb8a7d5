/// A closure that returns the item of a section for a row, or `nil` if its entity has no value.
typealias SectionItem<Element: Identifiable & Sendable, Key: Hashable & Sendable, Output, Item> =
    @Sendable (
        QueryResult<Element, SectionMember<Key, Output>>,
        QueryRow<Element.ID, SectionMember<Key, Output>>
    ) -> Item? where Element.ID: Sendable, Output: Sendable

extension QueryResult {
    /// Returns the sections with their items.
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

    /// Returns the items of the section with a key.
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
