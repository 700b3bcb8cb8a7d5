extension QueryResult {
    /// Returns the sections with their elements.
    func sections<Key: Comparable>() -> [QuerySection<Key, Element>]
    where Payload == SectionMember<Key> {
        var sections: [QuerySection<Key, Element>] = []
        rows.forEach(in: shown) { row in
            guard let element = value(of: row.id) else { return }
            if sections.isEmpty || sections[sections.count - 1].key != row.payload.key {
                sections.append(QuerySection(key: row.payload.key, elements: []))
            }
            sections[sections.count - 1].elements.append(element)
        }
        return sections
    }

    /// Updates the sections before a commit to the sections of this result.
    func update<Key: Comparable>(
        _ sections: inout [QuerySection<Key, Element>],
        _ transition: QueryTransition<Element, Payload>
    ) where Payload == SectionMember<Key> {
        let difference = SectionDifference(transition)
        if difference.keys.count > Self.maximumMoves {
            sections = self.sections()
            return
        }
        for case .remove(let index, _, _) in difference.keys.reversed() {
            sections.remove(at: index)
        }
        for place in difference.places {
            let section = QuerySection(key: place.key, elements: elements(at: place.offsets))
            if place.isInserted {
                sections.insert(section, at: place.index)
            } else {
                sections[place.index] = section
            }
        }
    }
}
