import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct QueryRowsTests {
    private static func rows(_ count: Int) -> [TestRow] {
        (0..<count).map { TestRow($0 / 3, id: $0, data: $0) }
    }

    @Test(arguments: [0, 1, 2, 255, 64, 65, 1000, 3000])
    func bulkBuildEqualsSingleInsertions(count: Int) {
        let rows = Self.rows(count)
        let built = TestRows(rows)
        built.checkInvariants()
        #expect(built.all.map(\.parts) == rows.map(\.parts))
        var random = SplitMix64(seed: 1)
        var single = TestRows()
        for row in rows.shuffled(using: &random) { single.edit(inserting: [row]) }
        single.checkInvariants()
        #expect(single.all.map(\.parts) == rows.map(\.parts))
        #expect(single.summary(of: 0..<count) == built.summary(of: 0..<count))
    }

    @Test("Rows with and without objects in their keys are kept apart and together")
    func mixedKeys() {
        var rows = TestRows()
        for id in 0..<600 { rows.edit(inserting: [TestRow(id % 7 == 0 ? nil : id, id: id)]) }
        rows.checkInvariants()
        let missing = (0..<600).filter { $0 % 7 == 0 }
        #expect(rows.ids(in: 0..<600).suffix(missing.count) == missing[...])
        rows.edit(removing: missing.map { TestRow(nil, id: $0) })
        rows.checkInvariants()
        #expect(rows.ids(in: 0..<rows.count) == (0..<600).filter { $0 % 7 > 0 })
    }

    @Test func threadsEditCopiesOfOneResult() {
        let rows = Self.rows(600)
        let shared = TestRows(rows)
        let results = Recorder<Bool>()
        let haveEnded = onThreads(4) { thread in
            var random = SplitMix64(seed: 1, stream: thread)
            var copy = shared
            var expected = rows
            for _ in 0..<100 {
                if random.oneIn(20) { (copy, expected) = (shared, rows) }
                let row = expected.remove(at: random.below(expected.count))
                let moved = TestRow(1000 + row.id, id: row.id)
                expected.append(moved)
                copy.edit(removing: [row], inserting: [moved])
                if copy.summary(of: 0..<600) == TestSummary() { results.append(false) }
            }
            expected.sort(by: TestRow.areInOrder)
            results.append(copy.all.map(\.parts) == expected.map(\.parts))
        }
        #expect(haveEnded)
        #expect(results.all == [true, true, true, true])
        #expect(shared.all.map(\.parts) == rows.map(\.parts))
        shared.checkInvariants()
    }

    @Test func removedRowsReleaseTheirObjects() {
        let weakNotes = weakNotesAfterUse()
        #expect(weakNotes.allSatisfy { $0.note == nil })
    }

    private func weakNotesAfterUse() -> [WeakNote] {
        let rows = (0..<600).map { TestRow($0, id: $0, note: TestPayload.Note()) }
        var edited = TestRows(rows)
        edited.edit(removing: stride(from: 0, to: 600, by: 2).map { rows[$0] })
        let old = edited
        edited.edit(removing: Array(rows[..<300]))
        #expect(old.count == 300)
        #expect(edited.count == 150)
        return rows.map { WeakNote(note: $0.payload.note) }
    }
}

private struct WeakNote {
    weak var note: TestPayload.Note?
}
