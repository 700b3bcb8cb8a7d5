/// The rows of a result in their order, as of one version.
///
/// It's a plain value. Another copy is an earlier version, which shares most nodes.
struct QueryRows<ID: Hashable & Sendable, Payload: QueryPayload>: Sendable {
    typealias Row = QueryRow<ID, Payload>
    private typealias Node = RowNode<ID, Payload>

    private var root: Node?
    let combining: Payload.Combining

    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    init(unordered rows: [Row] = [], combining: Payload.Combining) {
        self.combining = combining
        var sorted = rows
        Row.sort(&sorted)
        fill(sorted)
    }

    var count: Int { root?.count ?? 0 }

    subscript(position: Int) -> Row {
        guard let root, position < root.count else {
            preconditionFailure("Position \(position) isn't in a result of \(count) rows.")
        }
        return root[position]
    }

    /// Calls a closure with the rows in a range of positions: those of a leaf, and their indices.
    private func forEachLeaf(
        in positions: Range<Int>,
        _ body: (RowColumns<ID, Payload>, Range<Int>) -> Void
    ) {
        precondition(positions.upperBound <= count, "The positions must be those of rows.")
        if !positions.isEmpty { root?.forEachLeaf(in: positions, body) }
    }

    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    func forEach(in positions: Range<Int>, _ body: (Row) -> Void) {
        forEachLeaf(in: positions) { columns, indices in
            for index in indices { body(columns[index]) }
        }
    }

    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    func ids(in positions: Range<Int>) -> [ID] {
        var ids: [ID] = []
        ids.reserveCapacity(positions.count)
        forEachLeaf(in: positions) { ids += $0.ids[$1] }
        return ids
    }

    /// Returns the identifiers of the rows in several ranges of positions, each of them once.
    func ids(in ranges: [Range<Int>], areDistinct: Bool) -> [ID] {
        let ids = ranges.flatMap { self.ids(in: $0) }
        return areDistinct ? ids : Array(Set(ids))
    }

    func payloads(in positions: Range<Int>) -> [Payload] {
        var payloads: [Payload] = []
        payloads.reserveCapacity(positions.count)
        forEachLeaf(in: positions) { payloads += $0.payloads[$1] }
        return payloads
    }

    /// Combines the summaries of the rows in a range of positions.
    func summary(of positions: Range<Int>) -> Payload.Summary {
        guard let root, !positions.isEmpty else { return Payload.emptySummary }
        return root.summary(of: positions, combining)
    }

    /// Returns the number of rows that come before a row.
    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    func position(of row: Row) -> Int { root?.offset(of: row) ?? 0 }

    /// Returns the position of the first row whose key meets a condition.
    ///
    /// The condition must hold for all later rows.
    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    func position(where condition: (QuerySortKey) -> Bool) -> Int {
        root?.offset(where: condition) ?? 0
    }

    /// Returns the positions of the rows with a key.
    func positions(ofKey key: QuerySortKey) -> Range<Int> {
        let start = position { QuerySortKey.compare($0, key) >= 0 }
        return start..<position { QuerySortKey.compare($0, key) > 0 }
    }

    /// Returns the positions of the rows that are equal to a key in the first of several orders.
    func positions(ofFirstKey key: QuerySortKey) -> Range<Int> {
        let start = position { QuerySortKey.compareFirst($0, key) >= 0 }
        return start..<position { QuerySortKey.compareFirst($0, key) > 0 }
    }

    /// Applies changes, which must be in order.
    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    mutating func apply(_ changes: QueryRowChanges<ID, Payload>) {
        guard let root else { return fill(changes.inserted) }
        let edits = changes.edits()
        if edits.isEmpty { return }
        var nodes: [Node] = []
        root.edit(edits, edits.indices, to: &nodes)
        grow(nodes)
    }

    /// Makes sorted rows the only ones.
    private mutating func fill(_ rows: [Row]) {
        var nodes: [Node] = []
        Node.append(rows, to: &nodes)
        grow(nodes)
    }

    /// Makes nodes of the same height the only ones.
    private mutating func grow(_ nodes: [Node]) {
        var nodes = nodes
        while nodes.count > 1 {
            let children = nodes
            nodes = []
            Node.appendBranches(of: children, to: &nodes)
        }
        root = nodes.first
        while let child = root?.children.first, root?.children.count == 1 { root = child }
    }

    /// Traps unless the rows are in order and the nodes well-formed.
    ///
    /// For tests.
    func checkInvariants() {
        root?.checkInvariants()
        precondition(root?.children.count != 1, "A branch at the root must have several nodes.")
        var rows: [Row] = []
        forEach(in: 0..<count) { rows.append($0) }
        precondition(rows.count == count, "The count must be that of the rows.")
        precondition(
            zip(rows, rows.dropFirst()).allSatisfy(Row.areInOrder),
            "The rows must be in order."
        )
    }
}

extension QueryRows {
    /// Returns the difference from earlier rows to which changes have been applied, both as a
    /// window shows them.
    ///
    /// - Complexity: O(*k* log *n*) for *k* changes.
    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    func difference(
        from old: QueryRows,
        in window: QueryWindow,
        _ changes: QueryRowChanges<ID, Payload>
    ) -> RowDifference<ID> {
        let difference = RowDifference(
            removals: old.steps(to: changes.removed),
            insertions: steps(to: changes.inserted)
        )
        if window.isEverything { return difference }
        return difference.shown(
            from: window.positions(of: old.count),
            to: window.positions(of: count),
            oldID: { old[$0].id },
            newID: { self[$0].id }
        )
    }

    private func steps(to rows: [Row]) -> [RowDifference<ID>.Step] {
        rows.compactMap { row in
            let position = position(of: row)
            guard position < count, Row.compare(self[position], row) == 0 else { return nil }
            return RowDifference.Step(offset: position, id: row.id)
        }
    }
}

/// The changes of a commit to the rows of a result.
@usableFromInline
struct QueryRowChanges<ID: Hashable & Sendable, Payload: QueryPayload>: Sendable {
    @usableFromInline typealias Row = QueryRow<ID, Payload>

    @usableFromInline var removed: [Row] = []
    @usableFromInline var inserted: [Row] = []
    /// The rows that remain and whose values have changed, at their new places.
    @usableFromInline var updated: [Row] = []

    var isEmpty: Bool {
        // In code that isn't specialized, `Array.isEmpty` looks up metadata, and `count` doesn't.
        removed.count + inserted.count + updated.count == 0
    }

    /// Removes the changes, but keeps their memory if nothing else refers to it.
    mutating func removeAll() {
        removed.removeAll(keepingCapacity: true)
        inserted.removeAll(keepingCapacity: true)
        updated.removeAll(keepingCapacity: true)
    }

    /// Returns the removals and insertions, both sorted, in one order.
    fileprivate func edits() -> [RowColumns<ID, Payload>.Edit] {
        var edits: [RowColumns<ID, Payload>.Edit] = []
        edits.reserveCapacity(removed.count + inserted.count)
        var next = 0
        for row in inserted {
            // If a row is removed and inserted, the removal is first.
            while next < removed.count, !Row.areInOrder(row, removed[next]) {
                edits.append(.init(row: removed[next], isInsertion: false))
                next += 1
            }
            edits.append(.init(row: row, isInsertion: true))
        }
        edits += removed[next...].map { .init(row: $0, isInsertion: false) }
        return edits
    }

    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    mutating func sort() {
        Row.sort(&removed)
        Row.sort(&inserted)
    }
}

/// The part of an ordered result that a query shows.
struct QueryWindow: Hashable, Sendable {
    /// The number of rows to leave out at the beginning.
    var offset = 0
    /// The maximum number of rows, or `nil` if there's no limit.
    var limit: Int?

    var isEverything: Bool { offset == 0 && limit == nil }

    /// Returns the positions that the window shows of a number of rows.
    func positions(of count: Int) -> Range<Int> {
        let start = min(offset, count)
        return start..<(limit.map { min(start + min($0, count), count) } ?? count)
    }
}
