import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Compares a tree with a sorted array after each of many random edits.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
struct CountedTreeModelTests {
    @Test func randomEditsOfATreeWithTheSmallestNodes() async { await run(LeastCapacities.self) }

    @Test func randomEditsOfATreeWithSmallNodes() async { await run(SmallCapacities.self) }

    @Test func randomEditsOfATreeWithLargerLeavesThanBranches() async {
        await run(MediumCapacities.self)
    }

    private func run<Capacities: TreeCapacities>(_ capacities: Capacities.Type) async {
        let settings = RandomTestSettings(seeds: 12, steps: 250)
        let counts = await settings.run { TreeRun<Capacities>(seed: $0) }
        counts?.expectOften(["higher", "lower"], moreThan: 20)
        counts?.expectOften(["emptied"], moreThan: 5)
        counts?.expectOften(["noted"], moreThan: 100)
    }
}

/// A tree and its naive model, on which the same operations are performed.
private struct TreeRun<Capacities: TreeCapacities>: RandomRun {
    private typealias Tree = RowTree<Capacities>

    let counts = EventCounts()
    private var generator: SplitMix64
    private var tree = Tree(TreeRowOrder())
    private var rows: [TreeRow] = []
    /// Earlier versions of the tree, with their rows.
    private var versions: [(tree: Tree, rows: [TreeRow])] = []
    /// The number of rows that the tree tends to have.
    private var size = 10
    /// One of how many new rows has a note; in other runs, no row has one.
    private let noteRarity: Int?
    private var notes: [WeakNote] = []

    private struct WeakNote {
        weak var note: TreeRow.Note?
    }

    init(seed: Seed) {
        generator = SplitMix64(seed: seed)
        noteRarity = generator.pick([nil, 1, 4, 40])
    }

    mutating func end() -> String? {
        (tree, rows, versions) = (Tree(TreeRowOrder()), [], [])
        return notes.contains { $0.note != nil } ? "a node hasn't released a note" : nil
    }

    mutating func step() -> String? {
        let height = tree.height
        if generator.oneIn(20) { size = generator.pick([0, 5, 30, 120, 300]) }
        if generator.oneIn(4) { versions.append((tree, rows)) }
        if generator.oneIn(3), !versions.isEmpty {
            versions.remove(at: generator.below(versions.count))
        }
        if generator.oneIn(40), let version = versions.last { (tree, rows) = version }
        edit()
        tree.checkInvariants()
        if tree.height > height { counts.add("higher") }
        if tree.height < height { counts.add("lower") }
        if height > 0, tree.isEmpty { counts.add("emptied") }
        if let problem = difference(tree, rows) { return problem }
        for version in versions {
            version.tree.checkInvariants()
            if !version.tree.elementsEqual(version.rows) { return "an earlier version has changed" }
        }
        return nil
    }

    private mutating func edit() {
        let removal = rows.count > size ? 2 : 1
        switch generator.below(8) {
        case 0...2:
            let row = generator.below(3) < removal ? randomRow() : newRow()
            tree.insert(row)
            insert(row)
        case 3...5:
            for _ in 0..<removal {
                let row = generator.oneIn(8) ? newRow() : randomRow()
                tree.remove(row)
                remove(row)
            }
        case 6:
            let count = generator.below(generator.pick([3, 12, 80]))
            editMany(
                removals: (0..<count * (removal - 1)).map { _ in randomRow() },
                insertions: (0..<count).map { _ in generator.oneIn(3) ? randomRow() : newRow() }
            )
        default:
            // Removes a run of rows, and often all rows of several nodes.
            let start = generator.below(rows.count + 1)
            let end = min(rows.count, start + generator.below(rows.count / removal + 2))
            let isEmptying = size == 0 && generator.oneIn(2)
            editMany(
                removals: isEmptying ? rows : Array(rows[start..<end]),
                insertions: isEmptying ? [] : [newRow(), newRow()]
            )
        }
    }

    private mutating func editMany(removals: [TreeRow], insertions: [TreeRow]) {
        func sorted(_ rows: [TreeRow]) -> [TreeRow] {
            var byPlace: [[Int]: TreeRow] = [:]
            for row in rows { byPlace[[row.key, row.id]] = row }
            return byPlace.values.sorted { tree.order.precedes($0, $1) }
        }
        let (removals, insertions) = (sorted(removals), sorted(insertions))
        tree.edit(removing: removals, inserting: insertions)
        for row in removals { remove(row) }
        for row in insertions { insert(row) }
    }

    private mutating func newRow() -> TreeRow {
        var row = TreeRow(key: generator.below(40), id: generator.below(1000))
        addData(to: &row)
        return row
    }

    private mutating func addData(to row: inout TreeRow) {
        row.data = generator.below(5)
        row.note = nil
        guard let noteRarity, generator.oneIn(noteRarity) else { return }
        let note = TreeRow.Note()
        row.note = note
        notes.append(WeakNote(note: note))
        counts.add("noted")
    }

    private mutating func randomRow() -> TreeRow {
        guard !rows.isEmpty else { return newRow() }
        var row = generator.pick(rows)
        addData(to: &row)
        return row
    }

    private mutating func insert(_ row: TreeRow) {
        remove(row)
        let place = rows.firstIndex { tree.order.precedes(row, $0) } ?? rows.count
        rows.insert(row, at: place)
    }

    private mutating func remove(_ row: TreeRow) {
        rows.removeAll { $0.key == row.key && $0.id == row.id }
    }

    private mutating func difference(_ tree: Tree, _ rows: [TreeRow]) -> String? {
        guard tree.elementsEqual(rows) else { return "\(Array(tree)) instead of \(rows)" }
        guard tree.summary == TreeRowSummary(of: rows) else { return "a wrong summary" }
        let start = generator.below(rows.count + 1)
        let range = start..<generator.number(in: start...rows.count)
        guard tree.elements(in: range).elementsEqual(rows[range]) else {
            return "wrong elements in \(range)"
        }
        guard tree.summary(of: range) == TreeRowSummary(of: rows[range]) else {
            return "a wrong summary of \(range)"
        }
        let row = generator.oneIn(2) ? randomRow() : newRow()
        let lower = rows.firstIndex { !tree.order.precedes($0, row) } ?? rows.count
        let upper = rows.firstIndex { tree.order.precedes(row, $0) } ?? rows.count
        guard tree.lowerBound(of: row) == lower, tree.upperBound(of: row) == upper else {
            return "wrong bounds of \(row)"
        }
        guard tree.offset(of: row) == (lower < upper ? lower : nil) else {
            return "a wrong offset of \(row)"
        }
        let key = row.key
        guard
            tree.firstOffset(where: { $0.key >= key })
                == rows.firstIndex(where: { $0.key >= key }) ?? rows.count
        else { return "a wrong offset of key \(key)" }
        guard lower < rows.count else { return nil }
        return tree[lower] == rows[lower] ? nil : "a wrong element at \(lower)"
    }
}
