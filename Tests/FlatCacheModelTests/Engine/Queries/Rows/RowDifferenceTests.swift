import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct RowDifferenceTests {
    private typealias Difference = RowDifference<Int>
    private typealias Step = Difference.Step

    @Test func rowThatPassesNoOtherStays() {
        let difference = Difference(
            removals: [Step(offset: 4, id: 1)],
            insertions: [Step(offset: 4, id: 1)]
        )
        #expect(difference.isEmpty)
        #expect(difference.stayed == [Step(offset: 4, id: 1, counterpart: 4)])
    }

    @Test func movedRowIsRemovedAndInserted() {
        let difference = Difference(
            removals: [Step(offset: 0, id: 7)],
            insertions: [Step(offset: 2, id: 7)]
        )
        #expect(difference.removals == [Step(offset: 0, id: 7, counterpart: 2)])
        #expect(difference.insertions == [Step(offset: 2, id: 7, counterpart: 0)])
        #expect([7, 8, 9].applying(difference.collectionDifference()) == [8, 9, 7])
    }

    @Test func onlyOneOfTwoExchangedNeighborsMoves() {
        let difference = Difference(
            removals: [Step(offset: 3, id: 1), Step(offset: 4, id: 2)],
            insertions: [Step(offset: 3, id: 2), Step(offset: 4, id: 1)]
        )
        #expect(difference.removals.count == 1)
        #expect(difference.stayed.count == 1)
    }

    @Test func rowStaysBehindOneThatIsInsertedBeforeIt() {
        let difference = Difference(
            removals: [Step(offset: 0, id: 1)],
            insertions: [Step(offset: 0, id: 2), Step(offset: 1, id: 1)]
        )
        #expect(difference.removals == [])
        #expect(difference.insertions == [Step(offset: 0, id: 2)])
        #expect(difference.stayed == [Step(offset: 1, id: 1, counterpart: 0)])
    }

    private static let rows = (0..<40).map { TestRow($0, id: $0) }

    /// Returns the difference that a window shows when rows are removed.
    private func difference(
        removing removed: [TestRow],
        _ offset: Int,
        _ limit: Int
    ) -> Difference {
        let old = TestRows(Self.rows)
        var new = old
        let changes = TestRowChanges(removing: removed)
        new.apply(changes)
        var window = QueryWindow()
        (window.offset, window.limit) = (offset, limit)
        return new.difference(from: old, in: window, changes)
    }

    @Test func windowRefillsFromTheRowsBehindIt() {
        let shown = difference(removing: [Self.rows[3]], 2, 10)
        #expect(shown.removals == [Step(offset: 1, id: 3)])
        #expect(shown.insertions == [Step(offset: 9, id: 12)])
    }

    @Test func windowOfAnEmptiedResultIsEmpty() {
        let shown = difference(removing: Self.rows, 5, 3)
        #expect(shown.removals.map(\.id) == [5, 6, 7])
        #expect(shown.insertions == [])
    }
}
