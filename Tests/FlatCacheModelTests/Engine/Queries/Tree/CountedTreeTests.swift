import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CountedTreeTests {
    private typealias Tree = RowTree<MediumCapacities>

    private static func rows(_ count: Int) -> [TreeRow] {
        (0..<count).map { TreeRow(key: $0 / 3, id: $0) }
    }

    @Test(arguments: [0, 1, 2, 9, 10, 17, 100, 1000])
    func bulkBuildEqualsSingleInsertions(count: Int) {
        let rows = Self.rows(count)
        let tree = Tree(TreeRowOrder(), sorted: rows)
        tree.checkInvariants()
        #expect(tree.elementsEqual(rows))
        var random = SplitMix64(seed: 1)
        var single = Tree(TreeRowOrder())
        for row in rows.shuffled(using: &random) { single.insert(row) }
        single.checkInvariants()
        #expect(single.elementsEqual(rows))
        #expect(single.summary == tree.summary)
    }

    @Test func editOfAnUnsharedTreeKeepsItsNodes() {
        var tree = Tree(TreeRowOrder(), sorted: Self.rows(100))
        let nodes = tree.nodes
        tree.insert(TreeRow(key: 5, id: 999))
        tree.remove(TreeRow(key: 5, id: 15))
        #expect(tree.nodes == nodes)
    }

    @Test func editOfASharedTreeCopiesOnePath() {
        let old = Tree(TreeRowOrder(), sorted: Self.rows(500))
        var new = old
        new.insert(TreeRow(key: 5, id: 16, data: 1))
        #expect(new.nodes.subtracting(old.nodes).count == new.height + 1)
        #expect(old.elementsEqual(Self.rows(500)))
        new.checkInvariants()
        let nodes = new.nodes
        new.remove(TreeRow(key: 5, id: 16))
        #expect(new.nodes == nodes, "The tree owns the copied path.")
    }

    @Test func threadsEditCopiesOfOneTree() {
        let rows = Self.rows(600)
        let shared = Tree(TreeRowOrder(), sorted: rows)
        let results = Recorder<Bool>()
        let haveEnded = onThreads(4) { thread in
            var random = SplitMix64(seed: 1, stream: thread)
            var tree = shared
            var expected = rows
            for _ in 0..<300 {
                if random.oneIn(20) { (tree, expected) = (shared, rows) }
                let row = expected.remove(at: random.below(expected.count))
                tree.remove(row)
                expected.append(TreeRow(key: 1000 + row.key, id: row.id))
                tree.insert(TreeRow(key: 1000 + row.key, id: row.id))
            }
            expected.sort { tree.order.precedes($0, $1) }
            results.append(tree.elementsEqual(expected))
        }
        #expect(haveEnded)
        #expect(results.all == [true, true, true, true])
        #expect(shared.elementsEqual(rows))
        shared.checkInvariants()
    }

    @Test func nodesReleaseTheirElements() {
        let weakValues = weakValuesAfterUse()
        #expect(weakValues.allSatisfy { $0.value == nil })
    }

    @Test(arguments: [0..<9, 9..<18])
    func combinedLeafKnowsTheReferencesOfBothLeaves(noted: Range<Int>) {
        var rows = Self.rows(18)
        for index in noted { rows[index].note = TreeRow.Note() }
        var tree = Tree(TreeRowOrder(), sorted: rows)
        #expect(tree.height == 1)
        while tree.height == 1 {
            tree.remove(rows.removeFirst())
            tree.checkInvariants()
        }
        #expect(tree.elementsEqual(rows))
    }

    private func weakValuesAfterUse() -> [WeakValue] {
        let values = (0..<300).map { _ in Value() }
        var tree = CountedTree(ValueOrder(), sorted: values.enumerated().map { ($0, $1) })
        for index in stride(from: 0, to: 300, by: 2) { tree.remove((index, values[index])) }
        let old = tree
        tree.edit(removing: (0..<150).map { ($0, values[$0]) })
        tree.insert((5, values[5]))
        #expect(old.count == 150)
        #expect(tree.count == 76)
        return values.map { WeakValue(value: $0) }
    }
}

private final class Value: Sendable {}

private struct WeakValue {
    weak var value: Value?
}

private struct ValueOrder: TreeOrder {
    func precedes(_ first: (Int, Value), _ second: (Int, Value)) -> Bool { first.0 < second.0 }
    func id(of element: (Int, Value)) -> Int { element.0 }
}

extension CountedTree {
    /// The identities of all nodes.
    var nodes: Set<ObjectIdentifier> {
        var nodes: Set<ObjectIdentifier> = []
        func visit(_ child: Child, height: Int) {
            nodes.insert(ObjectIdentifier(child.node))
            guard height > 0 else { return }
            for child in child.branch.copyOfItems() { visit(child, height: height - 1) }
        }
        if let root { visit(root, height: height) }
        return nodes
    }
}
