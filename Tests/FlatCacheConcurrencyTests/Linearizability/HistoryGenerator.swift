@testable import FlatCacheTestSupport

/// A generator of the plan for a seed.
struct HistoryGenerator {
    private enum Choice: CaseIterable {
        case get, contains, listing, set, setAll, replace, append, remove, removeMany, batch
        case snapshot, observe, query, keepCurrent
    }

    private let seed: Seed
    private var random: SplitMix64
    private let keys: [HistoryKey]
    private var choices: [Choice]
    private var lastEntry = 0

    init(seed: Seed) {
        self.seed = seed
        random = SplitMix64(seed: seed)
        let counts = (random.number(in: 1...2), random.number(in: 1...2))
        keys =
            (0..<counts.0).map { HistoryKey(kind: .mergingList, number: $0) }
            + (0..<counts.1).map { HistoryKey(kind: .replacingList, number: $0) }
        // Conflicts are more frequent if a plan uses few kinds of calls: Groce, Zhang, Eide, Chen
        // and Regehr, "Swarm testing" (2012). Reads and updates reveal most and are always
        // included.
        choices = [.get, .append]
        for _ in 0..<random.number(in: 2...5) { choices.append(random.pick(Choice.allCases)) }
    }

    mutating func plan() -> HistoryPlan {
        var initial: HistoryState.Contents = [:]
        for key in keys where random.oneIn(2) { initial[key] = [nextEntry()] }
        let observedKeys = Set(keys.filter { _ in random.oneIn(4) })
        let currentQueries = HistoryQueryKey.all.filter { _ in random.oneIn(4) }
        // With more threads than processors, fewer calls overlap.
        let threadCount = random.pick([2, 2, 2, 3, 3, 4])
        let threads = (0..<threadCount).map { _ in
            (0..<random.number(in: 3...8)).map { _ in operation() }
        }
        return HistoryPlan(
            seed: seed,
            keys: keys,
            initial: HistoryState(initial),
            observedKeys: observedKeys,
            currentQueries: currentQueries,
            threads: threads
        )
    }

    private mutating func nextEntry() -> Int {
        lastEntry += 1
        return lastEntry
    }

    private mutating func key() -> HistoryKey { random.pick(keys) }

    private mutating func kind() -> HistoryKey.Kind { random.pick(HistoryKey.Kind.allCases) }

    /// Returns a failure in a quarter of the cases.
    private mutating func outcome() -> HistoryOperation.Outcome {
        random.oneIn(4) ? .fails : .returns
    }

    private mutating func operation() -> HistoryOperation {
        switch random.pick(choices) {
        case .batch: batch(depth: 1)
        case .snapshot: snapshot()
        case .observe: .observe(key())
        case .keepCurrent: .keepCurrent(random.pick(HistoryQueryKey.all))
        case .get: .get(key(), random.pick([.direct, .direct, .handle, .handle, .newHandle]))
        case let choice: simple(choice, accesses: [.direct, .direct, .handle])
        }
    }

    /// Returns a call without nested calls.
    private mutating func simple(
        _ choice: Choice,
        accesses: [HistoryOperation.Access]
    ) -> HistoryOperation {
        switch choice {
        case .get, .batch, .snapshot, .observe, .keepCurrent: .get(key(), random.pick(accesses))
        case .contains: .contains(key())
        case .query:
            .query(
                random.pick(HistoryQueryKey.all),
                accesses.contains(.cache) && random.oneIn(3) ? .cache : .direct
            )
        case .listing: random.pick([.count(kind()), .ids(kind()), .values(kind())])
        case .set: .set(key(), entry: nextEntry(), random.pick(accesses))
        case .setAll: setAll()
        case .replace: .replace(key(), [nextEntry()])
        case .append: .append(key(), entry: nextEntry(), random.pick(accesses), outcome())
        case .remove: .remove(key(), random.pick(accesses))
        case .removeMany: random.oneIn(2) ? .removeKind(kind()) : .removeAll
        }
    }

    private mutating func setAll() -> HistoryOperation {
        let kind = kind()
        let numbers = keys.filter { $0.kind == kind }.map(\.number)
        return .setAll(
            kind,
            (0..<random.number(in: 1...3)).map { _ in (random.pick(numbers), nextEntry()) }
        )
    }

    private mutating func batch(depth: Int) -> HistoryOperation {
        let steps = (0..<random.number(in: 1...4)).map { _ in step(depth: depth) }
        return .batch(steps, outcome())
    }

    private mutating func step(depth: Int) -> HistoryOperation {
        if depth < 3, random.oneIn(8) { return batch(depth: depth + 1) }
        if random.oneIn(12) { return snapshot() }
        let choice = random.pick([
            Choice.get, .get, .listing, .query, .query, .set, .set, .setAll, .replace, .append,
            .append, .remove,
            .removeMany,
        ])
        return simple(choice, accesses: [.direct, .direct, .cache, .handle])
    }

    private mutating func snapshot() -> HistoryOperation {
        // A snapshot may read a key twice, since its value must not change in between.
        .snapshot(
            (0..<random.number(in: 2...4)).map { _ in
                simple(
                    random.pick([.get, .get, .get, .query, .query, .contains, .listing]),
                    accesses: [.direct]
                )
            }
        )
    }
}
