/// The stored state of a live query: the result of one version, written by the deriver of queries.
///
/// The cache treats it like any other value, so that snapshots read the result of their version,
/// and the observers of a query are observers of this entity.
struct QueryState<Element: Identifiable & Sendable, Payload: QueryPayload>: Identifiable, Sendable
where Element.ID: Sendable {
    /// The contents of a state, referred to by the versions of an entry and its changes.
    final class Contents: Sendable {
        /// The number of the state in the sequence of the query's states, without a gap.
        let number: UInt64
        /// The rows in their order, without regard to the query's window.
        let rows: QueryRows<Element.ID, Payload>
        /// The changes that the commit has made to the rows, or `nil` in the first state.
        let changes: QueryRowChanges<Element.ID, Payload>?
        /// `true` if the rows or their order inside the window have changed.
        let isVisiblyChanged: Bool
        /// What determines the entities that the query pins, or `nil` if it pins none.
        let pinning: Pinning?

        init(
            number: UInt64,
            _ rows: QueryRows<Element.ID, Payload>,
            _ changes: QueryRowChanges<Element.ID, Payload>?,
            isVisiblyChanged: Bool,
            pinning: Pinning?
        ) {
            self.number = number
            self.rows = rows
            self.changes = changes
            self.isVisiblyChanged = isVisiblyChanged
            self.pinning = pinning
        }
    }

    struct Pinning {
        let window: QueryWindow
        /// The identifiers of the rows that have read an entity.
        let dependents: [CacheKey: Set<Element.ID>]
    }

    /// The number of the live query.
    let id: UInt64
    let contents: Contents
}

extension QueryDefinition {
    /// Applies the changes of a commit to the rows, and returns the new state.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of the live query and of the state.
    ///   - changes: The changes. The method removes them.
    ///   - rows: The rows. The method updates them.
    ///   - dependents: The identifiers of the rows that have read an entity.
    ///   - isFirst: `true` if this is the first state.
    func state(
        _ numbers: (query: UInt64, state: UInt64),
        applying changes: inout QueryRowChanges<Element.ID, Payload>,
        to rows: inout QueryRows<Element.ID, Payload>,
        _ dependents: [CacheKey: Set<Element.ID>],
        isFirst: Bool
    ) -> QueryState<Element, Payload> {
        let old = rows
        changes.sort()
        rows.apply(changes)
        let contents = QueryState<Element, Payload>.Contents(
            number: numbers.state,
            rows,
            isFirst ? nil : changes,
            isVisiblyChanged: isFirst || isVisible(changes, from: old, to: rows),
            pinning: pinsElements ? .init(window: window, dependents: dependents) : nil
        )
        changes = QueryRowChanges()
        return QueryState(id: numbers.query, contents: contents)
    }

    /// Returns whether changes have changed the shown rows or their order.
    func isVisible(
        _ changes: QueryRowChanges<Element.ID, Payload>,
        from old: QueryRows<Element.ID, Payload>,
        to new: QueryRows<Element.ID, Payload>
    ) -> Bool {
        if !changes.updated.isEmpty {
            let shown = window.positions(of: new.count)
            if window.isEverything
                || changes.updated.contains(where: { shown.contains(new.position(of: $0)) })
            {
                return true
            }
        }
        if changes.removed.isEmpty, changes.inserted.isEmpty { return false }
        if window.isEverything, changes.removed.count != changes.inserted.count { return true }
        return !new.difference(from: old, in: window, changes).isEmpty
    }
}

extension QueryState: PinsEntities {
    /// The shown elements, and the entities that their rows have read.
    ///
    /// A cache without limits asks for them only when it prunes, so a commit doesn't compute them.
    var pinnedCacheKeys: Set<CacheKey> {
        guard let pinning = contents.pinning else { return [] }
        let rows = contents.rows
        let ids = Set(rows.ids(in: pinning.window.positions(of: rows.count)))
        let read = pinning.dependents.filter { !$0.value.isDisjoint(with: ids) }.keys
        return Set(ids.map { CacheKey(Element.self, id: $0) }).union(read)
    }
}
