/// The rows of a result in their order, as of one version.
@usableFromInline
struct QueryRows<ID: Hashable & Sendable, Payload: QueryPayload>: Sendable {
    @usableFromInline typealias Row = QueryRow<ID, Payload>

    @usableFromInline var tree: CountedTree<QueryRowOrder<ID, Payload>>

    /// Creates a result from rows in any order.
    @inlinable
    init(unordered rows: [Row] = [], combining: Payload.Combining) {
        var sorted = rows
        Row.sort(&sorted)
        tree = CountedTree(QueryRowOrder(combining: combining), sorted: sorted)
    }

    @inlinable var count: Int { tree.count }

    /// Calls a closure with each row at some positions.
    @inlinable
    func forEach(in positions: Range<Int>, _ body: (Row) -> Void) {
        for row in tree.elements(in: positions) { body(row) }
    }

    /// Returns the identifiers of the rows at some positions.
    func ids(in positions: Range<Int>) -> [ID] {
        var ids: [ID] = []
        ids.reserveCapacity(positions.count)
        forEach(in: positions) { ids.append($0.id) }
        return ids
    }

    /// Returns the number of rows that come before a row.
    @inlinable
    func position(of row: Row) -> Int { tree.lowerBound(of: row) }

    /// Returns the position of the first row that meets a condition, which all later rows meet.
    @inlinable
    func position(where condition: (Row) -> Bool) -> Int { tree.firstOffset(where: condition) }

    /// Returns the summary of the rows at some positions.
    @inlinable
    func summary(of positions: Range<Int>) -> Payload.Summary { tree.summary(of: positions) }

    subscript(position: Int) -> Row { tree[position] }

    /// Applies changes, which must be in order.
    @inlinable
    mutating func apply(_ changes: QueryRowChanges<ID, Payload>) {
        tree.edit(removing: changes.removed, inserting: changes.inserted)
    }

    /// Returns the difference from earlier rows, both as a window shows them.
    @inlinable
    func difference(from old: QueryRows, in window: QueryWindow) -> TreeDifference<ID> {
        shown(tree.difference(from: old.tree), from: old, in: window)
    }

    /// Returns the difference from earlier rows to which changes have been applied, both as a
    /// window shows them.
    @inlinable
    func difference(
        from old: QueryRows,
        in window: QueryWindow,
        _ changes: QueryRowChanges<ID, Payload>
    ) -> TreeDifference<ID> {
        let difference = tree.difference(
            from: old.tree,
            removing: changes.removed,
            inserting: changes.inserted
        )
        return shown(difference, from: old, in: window)
    }

    @inlinable
    func shown(
        _ difference: TreeDifference<ID>,
        from old: QueryRows,
        in window: QueryWindow
    ) -> TreeDifference<ID> {
        if window.isEverything { return difference }
        return tree.shownPart(
            of: difference,
            from: old.tree,
            in: window.positions(of: old.count),
            to: window.positions(of: count)
        )
    }

    func checkInvariants() { tree.checkInvariants { _, _ in true } }
}

/// The order of the rows of a result.
@usableFromInline
struct QueryRowOrder<ID: Hashable & Sendable, Payload: QueryPayload>: TreeOrder {
    @usableFromInline let combining: Payload.Combining

    @inlinable
    init(combining: Payload.Combining) { self.combining = combining }

    @inlinable
    func precedes(_ first: QueryRow<ID, Payload>, _ second: QueryRow<ID, Payload>) -> Bool {
        QueryRow.areInOrder(first, second)
    }

    @inlinable
    func id(of row: QueryRow<ID, Payload>) -> ID { row.id }

    @inlinable
    func isPlain(_ row: QueryRow<ID, Payload>) -> Bool { row.isPlain }

    @inlinable var emptySummary: Payload.Summary { Payload.emptySummary }

    @inlinable
    func summary(of row: QueryRow<ID, Payload>) -> Payload.Summary {
        Payload.summary(of: row.payload)
    }

    @inlinable
    func combine(_ first: Payload.Summary, _ second: Payload.Summary) -> Payload.Summary {
        Payload.combine(first, second, combining)
    }
}
