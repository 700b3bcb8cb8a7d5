@testable import FlatCache
@testable import FlatCacheTestSupport

/// An element of the trees in tests: a row with a sort key, an identifier, and data and a note that
/// don't matter for the order.
struct TreeRow: Hashable, Sendable {
    /// An object that some rows refer to.
    final class Note: Hashable, Sendable {
        static func == (first: Note, second: Note) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    var key: Int
    var id: Int
    var data = 0
    var note: Note?
}

/// The order of rows by key and identifier, with small nodes.
struct TreeRowOrder<Capacities: TreeCapacities>: TreeOrder {
    static var leafCapacity: Int { Capacities.leaf }
    static var branchCapacity: Int { Capacities.branch }

    func precedes(_ first: TreeRow, _ second: TreeRow) -> Bool {
        (first.key, first.id) < (second.key, second.id)
    }

    func id(of row: TreeRow) -> Int { row.id }
    func isPlain(_ row: TreeRow) -> Bool { row.note == nil }

    var emptySummary: TreeRowSummary { TreeRowSummary() }
    func summary(of row: TreeRow) -> TreeRowSummary { TreeRowSummary(of: row) }

    func combine(_ first: TreeRowSummary, _ second: TreeRowSummary) -> TreeRowSummary {
        first.combined(with: second)
    }
}

/// A summary that depends on the order of the rows: the number that their identifiers make as
/// digits, and the place value of the next digit.
struct TreeRowSummary: Equatable, Sendable {
    private var number: UInt64 = 0
    private var placeValue: UInt64 = 1

    init() {}

    init(of row: TreeRow) {
        number = UInt64(row.id &* 31 &+ row.data &+ 1)
        placeValue = 1_000_003
    }

    init(of rows: some Sequence<TreeRow>) {
        self = rows.reduce(TreeRowSummary()) { $0.combined(with: TreeRowSummary(of: $1)) }
    }

    func combined(with next: TreeRowSummary) -> TreeRowSummary {
        var combined = self
        combined.number = number &* next.placeValue &+ next.number
        combined.placeValue = placeValue &* next.placeValue
        return combined
    }
}

/// The maximum numbers of items of nodes.
protocol TreeCapacities: Sendable {
    static var leaf: Int { get }
    static var branch: Int { get }
}

enum LeastCapacities: TreeCapacities {
    static var leaf: Int { 3 }
    static var branch: Int { 3 }
}

enum SmallCapacities: TreeCapacities {
    static var leaf: Int { 4 }
    static var branch: Int { 6 }
}

enum MediumCapacities: TreeCapacities {
    static var leaf: Int { 9 }
    static var branch: Int { 4 }
}

typealias RowTree<Capacities: TreeCapacities> = CountedTree<TreeRowOrder<Capacities>>

extension CountedTree where Order.Summary: Equatable {
    func checkInvariants() { checkInvariants { $0 == $1 } }
}
