import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Reads and observes queries while other threads commit.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
@Suite(.exclusive, .timeLimit(.minutes(15)))
struct CachedQueryThreadsTests {
    @Test("No thread ever reads a row that doesn't match its query at that version")
    func readersAndWriters() {
        let settings = RandomTestSettings(seeds: 8, steps: 150, hasThreads: true)
        settings.forEachSeed { seed in
            let problems = Recorder<String>()
            let cache = Cache()
            let cases = (0..<3).map { number in
                var generator = SplitMix64(seed: seed, stream: 100 + number)
                return QueryCase(using: &generator)
            }
            let queries = cases.map { $0.query(of: cache) }
            let hasEnded = onThreads(4) { thread in
                var generator = SplitMix64(seed: seed, stream: thread)
                for _ in 0..<settings.steps {
                    let index = Int.random(in: 0..<cases.count, using: &generator)
                    switch thread {
                    case 0, 1: write(to: cache, &generator)
                    case 2: toggle(queries[index], &generator)
                    default: compare(cases[index], queries[index], cache, problems)
                    }
                }
            }
            if !hasEnded || !cache.isSettled() { problems.append("a thread didn't end") }
            cache.core.checkInvariants()
            return FailureReport(seed: seed, problems: problems.all)
        }
    }

    @Test("The changes of a query lead from the rows at its beginning to its present rows")
    func mirrors() {
        let settings = RandomTestSettings(seeds: 8, steps: 100, hasThreads: true)
        settings.forEachSeed { seed in
            let problems = Recorder<String>()
            let cache = Cache()
            let hasEnded = onThreads(3) { thread in
                var generator = SplitMix64(seed: seed, stream: thread)
                for _ in 0..<settings.steps {
                    guard thread == 2 else {
                        write(to: cache, &generator)
                        continue
                    }
                    let query = QueryCase(using: &generator).query(of: cache)
                    let changes = Recorder<QueryChange<Book>>()
                    let observation = query.observeChanges { changes.append($0) }
                    write(to: cache, &generator)
                    observation.dispose()
                    let ids = changes.all.map { ($0.oldIDs, $0.ids) }
                    for (earlier, later) in zip(ids, ids.dropFirst()) where earlier.1 != later.0 {
                        problems.append("\(earlier.1), then \(later.0)")
                    }
                    for change in changes.all
                    where change.oldIDs.applying(change.difference) != change.ids {
                        problems.append("\(change.oldIDs), \(change.difference), \(change.ids)")
                    }
                }
            }
            if !hasEnded || !cache.isSettled() { problems.append("a thread didn't end") }
            // The states that remain are those of the indexes, of which there are five.
            let count = cache.count(of: QueryState<Book, NoPayload>.self)
            if count > 5 { problems.append("\(count) results") }
            return FailureReport(seed: seed, problems: problems.all)
        }
    }

    @Test("First runs, ends and commits of several threads leave no snapshot open")
    func snapshots() {
        let settings = RandomTestSettings(seeds: 200, steps: 8, hasThreads: true)
        settings.forEachSeed { seed in
            let cache = Cache()
            let queries = (0..<2).map { _ in cache.query(Book.self) }
            let tokens = Locked<[[Disposable]]>([[], []])
            let hasEnded = onThreads(4) { thread in
                var generator = SplitMix64(seed: seed, stream: thread)
                for _ in 0..<settings.steps {
                    let index = generator.below(queries.count)
                    switch thread {
                    case 0, 1: write(to: cache, &generator)
                    case 2 where generator.oneIn(2):
                        withExtendedLifetime(tokens.withLock { $0[index].popLast() }) {}
                    default:
                        let token = queries[index].keepCurrent()
                        if generator.oneIn(2) { tokens.withLock { $0[index].append(token) } }
                    }
                }
            }
            guard hasEnded, cache.isSettled() else {
                return FailureReport(seed: seed, problems: ["a thread didn't end"])
            }
            cache.core.checkInvariants()
            let open = cache.core.clock.openSnapshotVersions
            var problems = open.isEmpty ? [] : ["open snapshots \(open)"]
            for (query, tokens) in zip(queries, tokens.withLock { $0 }) {
                let phase = query.live.phase
                if phase != (tokens.isEmpty ? .idle : .current) { problems.append("\(phase)") }
            }
            return FailureReport(seed: seed, problems: problems)
        }
    }

    private func write(to cache: Cache, _ generator: inout SplitMix64) {
        func book() -> Book {
            Book(
                id: Int.random(in: 0..<10, using: &generator),
                title: ["a", "b", nil].randomElement(using: &generator) ?? nil,
                year: Int.random(in: 0..<9, using: &generator),
                author: "\(Int.random(in: 0..<3, using: &generator))"
            )
        }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: cache.remove(Book.self, id: Int.random(in: 0..<10, using: &generator))
        case 1: cache.set(Author(id: "1", name: Bool.random(using: &generator) ? "A" : "C"))
        case 2:
            cache.performBatchUpdates { batch in
                for _ in 0..<4 { batch.replace(book()) }
            }
        default: cache.replace(book())
        }
    }

    private func toggle(_ query: CachedQuery<Book>, _ generator: inout SplitMix64) {
        let token = query.keepCurrent()
        for _ in 0..<Int.random(in: 0..<20, using: &generator) { _ = query.count }
        token.dispose()
    }

    private func compare(
        _ definition: QueryCase,
        _ query: CachedQuery<Book>,
        _ cache: Cache,
        _ problems: Recorder<String>
    ) {
        cache.withSnapshot { snapshot in
            let expected = definition.expected(in: snapshot)
            let found = query.elements(in: snapshot)
            if found != expected { problems.append("\(definition): \(found), not \(expected)") }
        }
    }
}
