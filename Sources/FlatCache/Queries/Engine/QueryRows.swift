/// The rows of a result in their order, as of one version.
@usableFromInline
struct QueryRows<ID: Hashable & Sendable, Payload: QueryPayload>: Sendable {
    @usableFromInline typealias Row = QueryRow<ID, Payload>

    @usableFromInline var tree: CountedTree<QueryRowOrder<ID, Payload>>

    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    @usableFromInline
    init(unordered rows: [Row] = [], combining: Payload.Combining) {
        var sorted = rows
        Row.sort(&sorted)
        tree = CountedTree(QueryRowOrder(combining: combining), sorted: sorted)
    }

    @usableFromInline var count: Int { tree.count }

    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    @usableFromInline
    func forEach(in positions: Range<Int>, _ body: (Row) -> Void) {
        for row in tree.elements(in: positions) { body(row) }
    }

    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    func ids(in positions: Range<Int>) -> [ID] {
        var ids: [ID] = []
        ids.reserveCapacity(positions.count)
        forEach(in: positions) { ids.append($0.id) }
        return ids
    }

    /// Returns the identifiers of the rows in several ranges of positions, each of them once.
    func ids(in ranges: [Range<Int>], areDistinct: Bool) -> [ID] {
        let ids = ranges.flatMap { self.ids(in: $0) }
        return areDistinct ? ids : Array(Set(ids))
    }

    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    func positions(ofKey key: QuerySortKey) -> Range<Int> {
        let start = position { QuerySortKey.compare($0.key, key) >= 0 }
        return start..<position { QuerySortKey.compare($0.key, key) > 0 }
    }

    /// Returns the number of rows that come before a row.
    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    @usableFromInline
    func position(of row: Row) -> Int { tree.lowerBound(of: row) }

    /// Returns the position of the first row that meets a condition.
    ///
    /// The condition must hold for all later rows.
    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    @usableFromInline
    func position(where condition: (Row) -> Bool) -> Int { tree.firstOffset(where: condition) }

    @usableFromInline
    func summary(of positions: Range<Int>) -> Payload.Summary { tree.summary(of: positions) }

    subscript(position: Int) -> Row { tree[position] }

    /// Applies changes, which must be in order.
    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    @usableFromInline
    mutating func apply(_ changes: QueryRowChanges<ID, Payload>) {
        tree.edit(removing: changes.removed, inserting: changes.inserted)
    }

    /// Returns the difference from earlier rows, both as a window shows them.
    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    @usableFromInline
    func difference(from old: QueryRows, in window: QueryWindow) -> TreeDifference<ID> {
        shown(tree.difference(from: old.tree), from: old, in: window)
    }

    /// Returns the difference from earlier rows to which changes have been applied, both as a
    /// window shows them.
    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    @usableFromInline
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

    @usableFromInline
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

@usableFromInline
struct QueryRowOrder<ID: Hashable & Sendable, Payload: QueryPayload>: TreeOrder {
    @usableFromInline let combining: Payload.Combining

    @usableFromInline
    init(combining: Payload.Combining) { self.combining = combining }

    @usableFromInline
    func precedes(_ first: QueryRow<ID, Payload>, _ second: QueryRow<ID, Payload>) -> Bool {
        QueryRow.areInOrder(first, second)
    }

    @usableFromInline
    func id(of row: QueryRow<ID, Payload>) -> ID { row.id }

    @usableFromInline
    func isPlain(_ row: QueryRow<ID, Payload>) -> Bool { row.isPlain }

    @usableFromInline var emptySummary: Payload.Summary { Payload.emptySummary }

    @usableFromInline
    func summary(of row: QueryRow<ID, Payload>) -> Payload.Summary {
        Payload.summary(of: row.payload)
    }

    @usableFromInline
    func combine(_ first: Payload.Summary, _ second: Payload.Summary) -> Payload.Summary {
        Payload.combine(first, second, combining)
    }
}

@usableFromInline
struct QueryRowChanges<ID: Hashable & Sendable, Payload: QueryPayload>: Sendable {
    @usableFromInline typealias Row = QueryRow<ID, Payload>

    @usableFromInline var removed: [Row] = []
    @usableFromInline var inserted: [Row] = []
    /// The rows that remain and whose values have changed, at their new places.
    @usableFromInline var updated: [Row] = []

    @inlinable
    init() {}

    @inlinable var isEmpty: Bool {
        // In code that isn't specialized, `Array.isEmpty` looks up metadata, and `count` doesn't.
        removed.count + inserted.count + updated.count == 0
    }

    /// Removes the changes, but keeps their memory if nothing else refers to it.
    @inlinable
    mutating func removeAll() {
        removed.removeAll(keepingCapacity: true)
        inserted.removeAll(keepingCapacity: true)
        updated.removeAll(keepingCapacity: true)
    }

    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    @usableFromInline
    mutating func sort() {
        Row.sort(&removed)
        Row.sort(&inserted)
    }
}

/// The part of an ordered result that a query shows.
@usableFromInline
struct QueryWindow: Hashable, Sendable {
    /// The number of rows to leave out at the beginning.
    @usableFromInline var offset = 0
    /// The maximum number of rows, or `nil` if there's no limit.
    @usableFromInline var limit: Int?

    @inlinable
    init() {}

    @inlinable var isEverything: Bool { offset == 0 && limit == nil }

    /// Returns the positions that the window shows of a number of rows.
    @inlinable
    func positions(of count: Int) -> Range<Int> {
        let start = min(offset, count)
        return start..<(limit.map { min(start + min($0, count), count) } ?? count)
    }
}
