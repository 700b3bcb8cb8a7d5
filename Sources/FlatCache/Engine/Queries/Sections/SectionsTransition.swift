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

    /// The sections before the commit.
    var old: SectionedRows<Element.ID, Key, Output> { SectionedRows(rows.old, in: rows.oldShown) }
    /// The sections after the commit.
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

    /// A Boolean value that indicates whether sections or rows were inserted, removed or moved.
    var hasNewOrder: Bool {
        let difference = SectionDifference(rows)
        return !difference.keys.isEmpty || difference.sections.contains { !$0.difference.isEmpty }
    }

    /// Returns the identifiers of the rows of a section.
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
