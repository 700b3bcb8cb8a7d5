/// A part of the rows of a result: a leaf of adjacent rows, or a branch of adjacent nodes.
///
/// The nodes of a result form a B+-tree (Comer, "The Ubiquitous B-Tree", 1979). Several results
/// share a node, so it never changes: an edit copies the nodes from the root to the edited leaves
/// (Driscoll et al., "Making Data Structures Persistent", 1989).
final class RowNode<ID: Hashable & Sendable, Payload: QueryPayload>: Sendable {
    typealias Row = QueryRow<ID, Payload>
    typealias Columns = RowColumns<ID, Payload>

    // An edit copies a leaf and the branches above it, and counts a reference for each node in
    // these branches. Measurements determined the numbers.

    /// The greatest number of rows in a leaf.
    static var leafCapacity: Int { 64 }
    /// The greatest number of nodes in a branch.
    static var branchCapacity: Int { 20 }

    /// The rows, if the node is a leaf.
    let columns: Columns
    /// The nodes below, which have the same height, if the node is a branch.
    let children: [RowNode]
    /// The numbers of rows up to the end of each child.
    private let ends: [Int]
    let first: Row
    /// The combined summary of the rows, if it has been asked for, or `nil` if rows have none.
    private let knownSummary: Locked<Payload.Summary?>?

    private init(_ columns: Columns) {
        self.columns = columns
        (children, ends) = ([], [])
        first = columns[0]
        knownSummary = Payload.Summary.self == NoSummary.self ? nil : Locked(nil)
    }

    private init(_ children: [RowNode]) {
        self.children = children
        var end = 0
        ends = children.map { child in
            end += child.count
            return end
        }
        columns = Columns()
        first = children[0].first
        knownSummary = Payload.Summary.self == NoSummary.self ? nil : Locked(nil)
    }

    var count: Int { ends.last ?? columns.count }

    private func start(of index: Int) -> Int { index == 0 ? 0 : ends[index - 1] }
}

// Reading.
extension RowNode {
    subscript(offset: Int) -> Row {
        if children.isEmpty { return columns[offset] }
        let index = ends.indices.partitionPoint { ends[$0] > offset }
        return children[index][offset - start(of: index)]
    }

    /// Returns the number of rows that come before a row.
    func offset(of row: Row) -> Int {
        if children.isEmpty { return columns.firstIndex(notBefore: row) }
        let index = index(ofChildFor: row, from: 0)
        return start(of: index) + children[index].offset(of: row)
    }

    /// Returns the index of the child, from an index on, that contains, or would contain, a row.
    private func index(ofChildFor row: Row, from index: Int) -> Int {
        let next = index + 1..<children.count
        return next.partitionPoint { Row.areInOrder(row, children[$0].first) } - 1
    }

    /// Returns the offset of the first row whose key meets a condition.
    func offset(where condition: (QuerySortKey) -> Bool) -> Int {
        if children.isEmpty {
            return (0..<columns.count).partitionPoint { condition(columns.key(at: $0)) }
        }
        let next = (1..<children.count).partitionPoint { condition(children[$0].first.key) }
        return start(of: next - 1) + children[next - 1].offset(where: condition)
    }

    /// Calls a closure with the children in a range of offsets, and the range in each child.
    private func forEachPart(of range: Range<Int>, _ body: (RowNode, Range<Int>) -> Void) {
        for index in ends.indices.partitionPoint({ ends[$0] > range.lowerBound })..<ends.count {
            let start = start(of: index)
            let part = range.clamped(to: start..<ends[index])
            if part.isEmpty { return }
            body(children[index], part.lowerBound - start..<part.upperBound - start)
        }
    }

    /// Calls a closure with the rows in a range of offsets: those of a leaf, and their indices.
    func forEachLeaf(in range: Range<Int>, _ body: (Columns, Range<Int>) -> Void) {
        if children.isEmpty { return body(columns, range) }
        forEachPart(of: range) { $0.forEachLeaf(in: $1, body) }
    }

    /// Combines the summaries of the rows in a range of offsets.
    func summary(of range: Range<Int>, _ combining: Payload.Combining) -> Payload.Summary {
        guard range.count == count, let knownSummary else {
            return computedSummary(of: range, combining)
        }
        if let known = knownSummary.withLock({ $0 }) { return known }
        // Combining calls a client's code, so it happens without the lock.
        let summary = computedSummary(of: range, combining)
        knownSummary.withLock { $0 = summary }
        return summary
    }

    private func computedSummary(
        of range: Range<Int>,
        _ combining: Payload.Combining
    ) -> Payload.Summary {
        if children.isEmpty { return columns.summary(of: range, combining) }
        var summary = Payload.emptySummary
        forEachPart(of: range) {
            summary = Payload.combine(summary, $0.summary(of: $1, combining), combining)
        }
        return summary
    }
}

// Editing.
extension RowNode {
    /// Appends nodes of the same height with the rows after a range of edits.
    func edit(_ edits: [Columns.Edit], _ range: Range<Int>, to nodes: inout [RowNode]) {
        if children.isEmpty {
            return Self.append(columns.edited(by: edits, range), to: &nodes)
        }
        var edited: [RowNode] = []
        edited.reserveCapacity(children.count + 1)
        var next = 0
        var start = range.lowerBound
        while start < range.upperBound {
            let index = index(ofChildFor: edits[start].row, from: next)
            Self.append(children[next..<index], to: &edited)
            next = index + 1
            var rest = start + 1..<range.upperBound
            if next < children.count {
                let first = children[next].first
                let end = rest.partitionPoint { !Row.areInOrder(edits[$0].row, first) }
                rest = rest.lowerBound..<end
            }
            children[index].edit(edits, start..<rest.upperBound, to: &edited)
            start = rest.upperBound
        }
        Self.append(children[next...], to: &edited)
        Self.appendBranches(of: edited, to: &nodes)
    }

    /// Appends sorted rows as leaves.
    static func append(_ rows: [Row], to nodes: inout [RowNode]) {
        for part in parts(of: rows.count, capacity: leafCapacity) {
            nodes.append(RowNode(Columns(rows[part])))
        }
    }

    /// Appends rows as leaves that aren't too large.
    static func append(_ columns: Columns, to nodes: inout [RowNode]) {
        for part in parts(of: columns.count, capacity: leafCapacity) {
            let isAll = part.count == columns.count
            append(RowNode(isAll ? columns : columns[part]), to: &nodes)
        }
    }

    /// Appends nodes as branches that aren't too large.
    static func appendBranches(of children: [RowNode], to nodes: inout [RowNode]) {
        for part in parts(of: children.count, capacity: branchCapacity) {
            let isAll = part.count == children.count
            append(RowNode(isAll ? children : Array(children[part])), to: &nodes)
        }
    }

    private static func append(_ children: ArraySlice<RowNode>, to nodes: inout [RowNode]) {
        guard let first = children.first else { return }
        // The last node may have lost rows.
        append(first, to: &nodes)
        nodes += children.dropFirst()
    }

    /// Appends a node, or joins it with the last node if both are small.
    private static func append(_ node: RowNode, to nodes: inout [RowNode]) {
        guard let last = nodes.last else { return nodes.append(node) }
        if node.children.isEmpty {
            if last.columns.count + node.columns.count > leafCapacity / 2 {
                return nodes.append(node)
            }
            var columns = last.columns
            columns.append(node.columns, 0..<node.count)
            nodes[nodes.count - 1] = RowNode(columns)
        } else {
            if last.children.count + node.children.count > branchCapacity / 2 {
                return nodes.append(node)
            }
            var children = last.children
            append(node.children[...], to: &children)
            nodes[nodes.count - 1] = RowNode(children)
        }
    }

    /// Returns the ranges of the items of nodes over which items are distributed evenly.
    private static func parts(of count: Int, capacity: Int) -> [Range<Int>] {
        if count <= capacity { return count == 0 ? [] : [0..<count] }
        // Each node gets room for a few insertions.
        let parts = count / (capacity * 7 / 8) + 1
        return (0..<parts).map { count * $0 / parts..<count * ($0 + 1) / parts }
    }

    /// Traps unless the rows are in order, and the nodes neither too large nor too small.
    ///
    /// For tests.
    ///
    /// - Returns: The height of the node.
    @discardableResult
    func checkInvariants() -> Int {
        for (child, next) in zip(children, children.dropFirst()) {
            let capacity = child.children.isEmpty ? Self.leafCapacity : Self.branchCapacity
            let size = [child, next].reduce(0) { $0 + $1.columns.count + $1.children.count }
            precondition(size > capacity / 2, "Nodes are too small.")
        }
        precondition(columns.count <= Self.leafCapacity, "A leaf is too large.")
        precondition(children.count <= Self.branchCapacity, "A branch is too large.")
        precondition(children.isEmpty != (columns.count == 0), "A node must have items.")
        precondition(
            count == children.reduce(columns.count) { $0 + $1.count },
            "A branch must count its rows."
        )
        let heights = Set(children.map { $0.checkInvariants() })
        precondition(heights.count < 2, "All leaves must have one depth.")
        return (heights.first ?? 0) + 1
    }
}
