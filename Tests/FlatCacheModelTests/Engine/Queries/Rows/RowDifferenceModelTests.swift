import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Replays the differences between versions of a result, from random edits, onto arrays of
/// identifiers.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
struct RowDifferenceModelTests {
    @Test func differences() async {
        let settings = RandomTestSettings(seeds: 30, steps: 100)
        let counts = await settings.run { DifferenceRun(seed: $0) }
        counts?.expectOften(["moved", "stayed", "entered or left", "moved in a window"])
    }
}

private struct DifferenceRun: RandomRun {
    private typealias Difference = RowDifference<Int>

    let counts = EventCounts()
    private var generator: SplitMix64
    private var rows: TestRows
    private var keys: [Int: Int] = [:]

    init(seed: Seed) {
        generator = SplitMix64(seed: seed)
        for id in 0..<generator.pick([0, 4, 40, 300]) { keys[id] = generator.below(50) }
        rows = TestRows(keys.map { TestRow($1, id: $0) })
    }

    mutating func step() -> String? {
        let old = rows
        let changes = commit()
        rows.checkInvariants()
        return check(changes, from: old)
    }

    private mutating func commit() -> TestRowChanges {
        var new: [Int: Int?] = [:]
        let ids = keys.keys.sorted()
        for _ in 0..<generator.pick([1, 1, 2, 5, 20]) {
            let isNew = ids.isEmpty || generator.oneIn(3)
            let id = isNew ? generator.below(1000) : generator.pick(ids)
            new[id] = .some(newKey(for: id))
        }
        if generator.oneIn(30) { for id in ids { new[id] = .some(nil) } }
        var (removals, insertions): ([TestRow], [TestRow]) = ([], [])
        for (id, key) in new {
            if let key = keys[id] { removals.append(TestRow(key, id: id)) }
            if let key { insertions.append(TestRow(key, id: id)) }
            keys[id] = key
        }
        let changes = TestRowChanges(removing: removals, inserting: insertions)
        rows.apply(changes)
        return changes
    }

    private mutating func newKey(for id: Int) -> Int? {
        switch generator.below(6) {
        case 0: nil
        case 1...2: (keys[id] ?? 0) + generator.number(in: -2...2)
        default: generator.below(50)
        }
    }

    private mutating func check(_ changes: TestRowChanges, from old: TestRows) -> String? {
        let difference = rows.difference(from: old, in: QueryWindow(), changes)
        let (oldIDs, newIDs) = (old.ids(in: 0..<old.count), rows.ids(in: 0..<rows.count))
        counts.add("stayed", difference.stayed.count)
        counts.add("moved", difference.removals.count { $0.counterpart != nil })
        if let problem = replay(difference, from: oldIDs, to: newIDs) { return problem }
        for step in difference.stayed {
            let oldID = step.counterpart.map { oldIDs[$0] }
            if newIDs[step.offset] != step.id || oldID != step.id { return "\(step) hasn't stayed" }
        }
        let smallest = OrderDifference(from: oldIDs, to: newIDs).difference
        if difference.isEmpty != smallest.isEmpty { return "\(difference) must be empty" }
        let offset = generator.below(12)
        let limit = generator.oneIn(5) ? 10_000 : generator.below(20)
        var window = QueryWindow()
        (window.offset, window.limit) = (offset, limit)
        let oldRange = window.positions(of: oldIDs.count)
        let newRange = window.positions(of: newIDs.count)
        let shown = rows.difference(from: old, in: window, changes)
        counts.add("moved in a window", shown.removals.count { $0.counterpart != nil })
        counts.add("entered or left", Set(shown.removals).subtracting(difference.removals).count)
        let problem = replay(shown, from: Array(oldIDs[oldRange]), to: Array(newIDs[newRange]))
        if let problem { return "in \(newRange): \(problem)" }
        let stayed = difference.stayed.filter { step in
            newRange.contains(step.offset) && step.counterpart.map(oldRange.contains) ?? false
        }
        return shown.stayed.map(\.id) == stayed.map(\.id)
            ? nil : "wrong elements stay in \(newRange)"
    }

    private func replay(_ difference: Difference, from old: [Int], to new: [Int]) -> String? {
        guard let replayed = old.applying(difference.collectionDifference()), replayed == new else {
            return "\(difference) doesn't lead from \(old) to \(new)"
        }
        let moved = Set(difference.removals.map(\.id)).intersection(difference.insertions.map(\.id))
        func isValid(_ step: Difference.Step, _ ids: [Int], _ others: [Int]) -> Bool {
            let counterpart = step.counterpart.map { others[$0] }
            return ids[step.offset] == step.id
                && counterpart == (moved.contains(step.id) ? step.id : nil)
        }
        let isValid =
            difference.removals.allSatisfy { isValid($0, old, new) }
            && difference.insertions.allSatisfy { isValid($0, new, old) }
        return isValid ? nil : "a step of \(difference) is wrong"
    }
}
