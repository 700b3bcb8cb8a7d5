import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Compares the rows of a result with a sorted array after each of many random edits.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
struct QueryRowsModelTests {
    @Test func randomEdits() async {
        let settings = RandomTestSettings(seeds: 10, steps: 80)
        let counts = await settings.run { RowsRun(seed: $0) }
        counts?.expectOften(["several nodes", "noted", "without keys"], moreThan: 50)
        counts?.expectOften(["emptied"], moreThan: 3)
    }
}

/// The rows of a result and their naive model, on which the same operations are performed.
private struct RowsRun: RandomRun {
    let counts = EventCounts()
    private var generator: SplitMix64
    private var rows = TestRows()
    private var model: [TestRow] = []
    /// Earlier versions of the rows, with their models.
    private var versions: [(rows: TestRows, model: [TestRow])] = []
    /// The number of rows that the result tends to have.
    private var size = 300
    /// One of how many new rows has a note or no key; in other runs, no row does.
    private let noteRarity: Int?
    private let missingRarity: Int?
    private var notes: [WeakNote] = []

    private struct WeakNote {
        weak var note: TestPayload.Note?
    }

    init(seed: Seed) {
        generator = SplitMix64(seed: seed)
        noteRarity = generator.pick([nil, 1, 4, 40])
        missingRarity = generator.pick([nil, 2, 100])
    }

    mutating func end() -> String? {
        (rows, model, versions) = (TestRows(), [], [])
        return notes.contains { $0.note != nil } ? "a node hasn't released a note" : nil
    }

    mutating func step() -> String? {
        if generator.oneIn(10) { size = generator.pick([0, 30, 300, 1000]) }
        if generator.oneIn(4) { versions.append((rows, model)) }
        if generator.oneIn(3), !versions.isEmpty {
            versions.remove(at: generator.below(versions.count))
        }
        if generator.oneIn(40), let version = versions.last { (rows, model) = version }
        let wasEmpty = model.isEmpty
        edit()
        rows.checkInvariants()
        if rows.count > 64 { counts.add("several nodes") }
        if !wasEmpty, model.isEmpty { counts.add("emptied") }
        if let problem = difference() { return problem }
        for version in versions
        where version.rows.all.map(\.parts) != version.model.map(\.parts) {
            return "an earlier version has changed"
        }
        return nil
    }

    private mutating func edit() {
        let isShrinking = model.count > size
        switch generator.below(8) {
        case 0...1:
            apply(removals: [], insertions: [generator.oneIn(3) ? newRow() : randomRow()])
        case 2...3:
            apply(removals: [generator.oneIn(8) ? newRow() : randomRow()], insertions: [])
        case 4...6:
            let count = generator.below(generator.pick([3, 12, 80, 600]))
            apply(
                removals: isShrinking ? (0..<2 * count).map { _ in randomRow() } : [],
                insertions: (0..<count).map { _ in generator.oneIn(3) ? randomRow() : newRow() }
            )
        default:
            // Removes a run of rows, and often all rows of several nodes.
            let start = generator.below(model.count + 1)
            let end = min(model.count, start + generator.below(model.count / 2 + 2))
            let isEmptying = size == 0 && generator.oneIn(2)
            apply(
                removals: isEmptying ? model : Array(model[start..<end]),
                insertions: isEmptying ? [] : [newRow(), newRow()]
            )
        }
    }

    private mutating func apply(removals: [TestRow], insertions: [TestRow]) {
        let (removals, insertions) = (distinct(removals), distinct(insertions))
        rows.edit(removing: removals, inserting: insertions)
        let removed = Set((removals + insertions).map(place))
        let kept = model.filter { !removed.contains(place($0)) }
        model = (kept + insertions).sorted(by: TestRow.areInOrder)
    }

    private func distinct(_ rows: [TestRow]) -> [TestRow] {
        Array(Dictionary(rows.map { (place($0), $0) }) { $1 }.values)
    }

    private func place(_ row: TestRow) -> [Int] {
        [Int(truncatingIfNeeded: row.key.prefix), row.key.rest == nil ? 0 : 1, row.id]
    }

    private mutating func newRow() -> TestRow {
        let hasNoKey = missingRarity.map { generator.oneIn($0) } ?? false
        if hasNoKey { counts.add("without keys") }
        return TestRow(
            hasNoKey ? nil : generator.below(400),
            id: generator.below(1000),
            data: generator.below(1000),
            note: newNote()
        )
    }

    private mutating func newNote() -> TestPayload.Note? {
        guard let noteRarity, generator.oneIn(noteRarity) else { return nil }
        let note = TestPayload.Note()
        notes.append(WeakNote(note: note))
        counts.add("noted")
        return note
    }

    /// Returns a row at the place of a present one.
    private mutating func randomRow() -> TestRow {
        guard !model.isEmpty else { return newRow() }
        let row = generator.pick(model)
        let payload = TestPayload(data: generator.below(1000), note: newNote())
        return TestRow(key: row.key, id: row.id, payload: payload)
    }

    private mutating func difference() -> String? {
        guard rows.count == model.count, rows.all.map(\.parts) == model.map(\.parts) else {
            return "\(rows.all.map(\.parts)) instead of \(model.map(\.parts))"
        }
        guard rows.all.map({ $0.payload.note == nil }) == model.map({ $0.payload.note == nil })
        else { return "a wrong note" }
        let start = generator.below(model.count + 1)
        let range = start..<generator.number(in: start...model.count)
        for range in [range, 0..<model.count] {
            guard rows.summary(of: range) == TestSummary(of: model[range]) else {
                return "a wrong summary of \(range)"
            }
        }
        guard rows.ids(in: range) == model[range].map(\.id) else { return "wrong ids in \(range)" }
        let row = generator.oneIn(2) ? randomRow() : newRow()
        let place = model.firstIndex { !TestRow.areInOrder($0, row) } ?? model.count
        guard rows.position(of: row) == place else { return "a wrong position of \(row.parts)" }
        let first = model.firstIndex { QuerySortKey.compare($0.key, row.key) >= 0 }
        let end = model.firstIndex { QuerySortKey.compare($0.key, row.key) > 0 }
        guard rows.positions(ofKey: row.key) == (first ?? model.count)..<(end ?? model.count) else {
            return "wrong positions of the key of \(row.parts)"
        }
        guard place < model.count else { return nil }
        return rows[place].parts == model[place].parts ? nil : "a wrong row at \(place)"
    }
}
