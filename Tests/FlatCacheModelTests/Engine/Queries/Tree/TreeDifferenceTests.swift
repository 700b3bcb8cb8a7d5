import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct TreeDifferenceTests {
    private typealias Difference = TreeDifference<Int>
    private typealias Step = Difference.Step
    private typealias Tree = RowTree<MediumCapacities>

    @Test func elementThatPassesNoOtherStays() {
        let difference = Difference(
            removals: [Step(offset: 4, id: 1)],
            insertions: [Step(offset: 4, id: 1)]
        )
        #expect(difference.isEmpty)
        #expect(difference.stayed == [Step(offset: 4, id: 1, counterpart: 4)])
    }

    @Test func movedElementIsRemovedAndInserted() {
        let difference = Difference(
            removals: [Step(offset: 0, id: 7)],
            insertions: [Step(offset: 2, id: 7)]
        )
        #expect(difference.removals == [Step(offset: 0, id: 7, counterpart: 2)])
        #expect(difference.insertions == [Step(offset: 2, id: 7, counterpart: 0)])
        #expect([7, 8, 9].applying(difference.collectionDifference) == [8, 9, 7])
    }

    @Test func onlyOneOfTwoExchangedNeighborsMoves() {
        let difference = Difference(
            removals: [Step(offset: 3, id: 1), Step(offset: 4, id: 2)],
            insertions: [Step(offset: 3, id: 2), Step(offset: 4, id: 1)]
        )
        #expect(difference.removals.count == 1)
        #expect(difference.stayed.count == 1)
    }

    @Test func elementStaysBehindOneThatIsInsertedBeforeIt() {
        let difference = Difference(
            removals: [Step(offset: 0, id: 1)],
            insertions: [Step(offset: 0, id: 2), Step(offset: 1, id: 1)]
        )
        #expect(difference.removals == [])
        #expect(difference.insertions == [Step(offset: 0, id: 2)])
        #expect(difference.stayed == [Step(offset: 1, id: 1, counterpart: 0)])
    }

    @Test func windowRefillsFromTheElementsBehindIt() {
        let old = Tree(TreeRowOrder(), sorted: (0..<40).map { TreeRow(key: $0, id: $0) })
        var new = old
        let removed = [TreeRow(key: 3, id: 3)]
        new.edit(removing: removed)
        let shown = new.shownPart(
            of: new.difference(from: old, removing: removed, inserting: []),
            from: old,
            in: 2..<12,
            to: 2..<12
        )
        #expect(shown.removals == [Step(offset: 1, id: 3)])
        #expect(shown.insertions == [Step(offset: 9, id: 12)])
    }

    @Test func windowOfAnEmptiedTreeIsEmpty() {
        let rows = (0..<40).map { TreeRow(key: $0, id: $0) }
        let old = Tree(TreeRowOrder(), sorted: rows)
        var new = old
        new.edit(removing: rows)
        let shown = new.shownPart(
            of: new.difference(from: old, removing: rows, inserting: []),
            from: old,
            in: 5..<8,
            to: 0..<0
        )
        #expect(shown.removals.map(\.id) == [5, 6, 7])
        #expect(shown.insertions == [])
    }

    @Test func comparisonVisitsNoSharedSubtrees() {
        let compared = Locked(0)
        let rows = (0..<10_000).map { TreeRow(key: $0, id: $0) }
        let old = CountedTree(CountingOrder(comparisons: compared), sorted: rows)
        var new = old
        new.remove(rows[5000])
        new.insert(TreeRow(key: 8000, id: -1))
        compared.withLock { $0 = 0 }
        let difference = new.difference(from: old)
        #expect(difference.removals == [Step(offset: 5000, id: 5000)])
        #expect(difference.insertions == [Step(offset: 7999, id: -1)])
        #expect(compared.withLock { $0 } < 500)
    }
}

/// An order that counts the comparisons.
private struct CountingOrder: TreeOrder {
    let comparisons: Locked<Int>

    func precedes(_ first: TreeRow, _ second: TreeRow) -> Bool {
        comparisons.withLock { $0 += 1 }
        return (first.key, first.id) < (second.key, second.id)
    }

    func id(of row: TreeRow) -> Int { row.id }
}
