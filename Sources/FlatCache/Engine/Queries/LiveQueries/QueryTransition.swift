/// The results of a query before and after a commit.
///
/// It's an object because the closures that pass it on would otherwise copy both results.
@usableFromInline
final class QueryTransition<Element: Identifiable & Sendable, Payload: QueryPayload>: Sendable
where Element.ID: Sendable {
    @usableFromInline let old: QueryRows<Element.ID, Payload>
    @usableFromInline let new: QueryRows<Element.ID, Payload>
    /// The changes between the two, or `nil` if they are unknown.
    @usableFromInline let changes: QueryRowChanges<Element.ID, Payload>?
    @usableFromInline let query: LiveQuery<Element, Payload>
    /// A Boolean value that indicates whether other commits came between the two results, so that
    /// an observer may have read one of their results.
    @usableFromInline let hasMissedCommits: Bool

    @usableFromInline
    init(
        from old: QueryRows<Element.ID, Payload>,
        to new: QueryRows<Element.ID, Payload>,
        _ changes: QueryRowChanges<Element.ID, Payload>?,
        of query: LiveQuery<Element, Payload>,
        hasMissedCommits: Bool = false
    ) {
        self.old = old
        self.new = new
        self.changes = changes
        self.query = query
        self.hasMissedCommits = hasMissedCommits
    }

    @usableFromInline var window: QueryWindow { query.definition.window }
    /// The positions of the rows that the query showed before the commit.
    var oldShown: Range<Int> { window.positions(of: old.count) }
    /// The positions of the rows that the query shows after the commit.
    var shown: Range<Int> { window.positions(of: new.count) }

    var oldIDs: [Element.ID] { old.ids(in: oldShown) }
    var ids: [Element.ID] { new.ids(in: shown) }

    /// The identifiers of the shown rows whose values have changed.
    var updatedIDs: Set<Element.ID> {
        guard let updated = changes?.updated else { return [] }
        if window.isEverything { return Set(updated.map(\.id)) }
        let shown = shown
        return Set(updated.filter { shown.contains(new.position(of: $0)) }.map(\.id))
    }

    @usableFromInline var collectionDifference: CollectionDifference<Element.ID> {
        difference.collectionDifference
    }

    var difference: TreeDifference<Element.ID> {
        guard let changes else { return new.difference(from: old, in: window) }
        return new.difference(from: old, in: window, changes)
    }
}
