import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Replays the differences between versions of a tree, from random edits, onto arrays of
/// identifiers.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
struct TreeDifferenceModelTests {
    @Test func differencesOfATreeWithTheSmallestNodes() async { await run(LeastCapacities.self) }

    @Test func differencesOfATreeWithSmallNodes() async { await run(SmallCapacities.self) }

    @Test func differencesOfATreeWithLargerLeavesThanBranches() async {
        await run(MediumCapacities.self)
    }

    private func run<Capacities: TreeCapacities>(_ capacities: Capacities.Type) async {
        let settings = RandomTestSettings(seeds: 15, steps: 100)
        let counts = await settings.run { DifferenceRun<Capacities>(seed: $0) }
        counts?.expectOften(["moved", "stayed", "entered or left", "moved in a window", "shared"])
    }
}

private struct DifferenceRun<Capacities: TreeCapacities>: RandomRun {
    private typealias Tree = RowTree<Capacities>

    let counts = EventCounts()
    private var generator: SplitMix64
    private var tree: Tree
    private var keys: [Int: Int] = [:]
    /// An earlier version, from which several commits lead to the current one.
    private var earlier: Tree

    init(seed: Seed) {
        generator = SplitMix64(seed: seed)
        for id in 0..<generator.pick([0, 4, 40, 200]) { keys[id] = generator.below(50) }
        tree = Tree(
            TreeRowOrder(),
            sorted: keys.map { TreeRow(key: $1, id: $0) }
                .sorted { ($0.key, $0.id) < ($1.key, $1.id) }
        )
        earlier = tree
    }

    mutating func step() -> String? {
        let old = tree
        let (removals, insertions) = commit()
        tree.checkInvariants()
        let difference = tree.difference(from: old, removing: removals, inserting: insertions)
        let problem = check(difference, from: old)
        if let problem { return "of a commit: \(problem)" }
        if let problem = check(tree.difference(from: old), from: old) {
            return "of a comparison: \(problem)"
        }
        guard generator.oneIn(4) else { return nil }
        let compared = check(tree.difference(from: earlier), from: earlier)
        counts.add("shared", tree.nodes.intersection(earlier.nodes).count)
        earlier = generator.oneIn(5) ? Tree(TreeRowOrder()) : tree
        return compared.map { "of several commits: \($0)" }
    }

    private mutating func commit() -> (removals: [TreeRow], insertions: [TreeRow]) {
        var new: [Int: Int?] = [:]
        let ids = keys.keys.sorted()
        for _ in 0..<generator.pick([1, 1, 2, 5, 20]) {
            let isNew = ids.isEmpty || generator.oneIn(3)
            let id = isNew ? generator.below(1000) : generator.pick(ids)
            new[id] = .some(newKey(for: id))
        }
        if generator.oneIn(30) { for id in ids { new[id] = .some(nil) } }
        var (removals, insertions): ([TreeRow], [TreeRow]) = ([], [])
        for (id, key) in new {
            if let key = keys[id] { removals.append(TreeRow(key: key, id: id)) }
            if let key { insertions.append(TreeRow(key: key, id: id)) }
            keys[id] = key
        }
        removals.sort { tree.order.precedes($0, $1) }
        insertions.sort { tree.order.precedes($0, $1) }
        tree.edit(removing: removals, inserting: insertions)
        return (removals, insertions)
    }

    private mutating func newKey(for id: Int) -> Int? {
        switch generator.below(6) {
        case 0: nil
        case 1...2: (keys[id] ?? 0) + generator.number(in: -2...2)
        default: generator.below(50)
        }
    }

    private mutating func check(_ difference: Tree.Difference, from old: Tree) -> String? {
        let (oldIDs, newIDs) = (old.map(\.id), tree.map(\.id))
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
        func window(of ids: [Int]) -> Range<Int> {
            (offset..<offset + limit).clamped(to: 0..<ids.count)
        }
        let (oldRange, newRange) = (window(of: oldIDs), window(of: newIDs))
        let shown = tree.shownPart(of: difference, from: old, in: oldRange, to: newRange)
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

    private func replay(_ difference: Tree.Difference, from old: [Int], to new: [Int]) -> String? {
        guard let replayed = old.applying(difference.collectionDifference), replayed == new else {
            return "\(difference) doesn't lead from \(old) to \(new)"
        }
        let moved = Set(difference.removals.map(\.id)).intersection(difference.insertions.map(\.id))
        func isValid(_ step: Tree.Difference.Step, _ ids: [Int], _ others: [Int]) -> Bool {
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
