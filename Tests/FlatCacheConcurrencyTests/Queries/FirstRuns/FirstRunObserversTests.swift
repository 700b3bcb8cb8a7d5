import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Observes a query at random moments of other threads' first runs.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
@Suite(.exclusive, .timeLimit(.minutes(15)))
struct FirstRunObserversTests {
    @Test("An observer's changes lead from the result at its beginning to the last result")
    func randomMoments() {
        let settings = RandomTestSettings(seeds: 60, steps: 60, hasThreads: true)
        settings.forEachSeed { seed in
            let run = FirstRunObservers(seed: seed)
            let hasEnded = onThreads(4) { thread in
                var generator = SplitMix64(seed: seed, stream: thread)
                for _ in 0..<settings.steps {
                    switch thread {
                    case 0: run.write(&generator)
                    case 1: run.keepCurrent(&generator)
                    default: run.observe(&generator)
                    }
                }
            }
            guard hasEnded, run.cache.isSettled() else {
                return FailureReport(seed: seed, problems: ["a thread didn't end"])
            }
            return FailureReport(seed: seed, problems: run.problems())
        }
    }
}

/// A query that one thread changes and that others keep current and observe.
private final class FirstRunObservers: Sendable {
    /// A result of the query, with the versions between which its commit was published.
    private struct Result {
        let ids: [Int]
        let versions: ClosedRange<UInt64>
    }

    private struct Observer {
        let changes = Recorder<QueryChange<Book>>()
        /// The versions between which the observation began.
        var versions: ClosedRange<UInt64>
        /// A Boolean value that indicates whether the observation lasts until the end.
        var isKept = false
    }

    let cache = Cache()
    private let definition: QueryCase
    private let query: CachedQuery<Book>
    private let results: Recorder<Result>
    private let observers = Recorder<Observer>()
    private let tokens = Recorder<Disposable>()

    init(seed: Seed) {
        var generator = SplitMix64(seed: seed)
        definition = QueryCase(using: &generator)
        query = definition.query(of: cache)
        results = Recorder()
        results.append(Result(ids: [], versions: 0...0))
    }

    /// Replaces or removes a book; only one thread does so.
    func write(_ generator: inout SplitMix64) {
        let before = cache.version
        let id = generator.below(8)
        if generator.oneIn(4) {
            cache.remove(Book.self, id: id)
        } else {
            let title = generator.pick(["a", "b", "c"])
            let author = "\(generator.below(2))"
            cache.replace(Book(id: id, title: title, year: generator.below(9), author: author))
        }
        let ids = definition.expected(in: cache).map(\.id)
        results.append(Result(ids: ids, versions: before...cache.version))
    }

    func keepCurrent(_ generator: inout SplitMix64) {
        let token = query.keepCurrent()
        for _ in 0..<generator.below(4) { _ = query.count }
        token.dispose()
    }

    func observe(_ generator: inout SplitMix64) {
        let before = cache.version
        var observer = Observer(versions: before...before)
        let token = query.observeChanges { [changes = observer.changes] in changes.append($0) }
        observer.versions = before...cache.version
        for _ in 0..<generator.below(4) { _ = query.count }
        observer.isKept = generator.oneIn(20)
        if observer.isKept {
            tokens.append(token)
        } else {
            token.dispose()
        }
        observers.append(observer)
    }

    func problems() -> [String] {
        for token in tokens.all { token.dispose() }
        let results = results.all
        let last = results[results.count - 1].ids
        var problems: [String] = []
        for observer in observers.all {
            // A result lasts until the commit of the next one.
            let first = results.indices.filter { index in
                let isNotLater = results[index].versions.lowerBound <= observer.versions.upperBound
                let end = index + 1 < results.count ? results[index + 1].versions.upperBound : .max
                return isNotLater && end >= observer.versions.lowerBound
            }
            var known = first.map { results[$0].ids }
            for change in observer.changes.all {
                if !known.contains(change.oldIDs) {
                    problems.append("\(change.oldIDs) instead of one of \(known)")
                }
                if change.oldIDs.applying(change.difference) != change.ids {
                    problems.append("\(change.difference) from \(change.oldIDs) to \(change.ids)")
                }
                known = [change.ids]
            }
            if observer.isKept, !known.contains(last) { problems.append("\(known), not \(last)") }
        }
        if !cache.core.clock.openSnapshotVersions.isEmpty { problems.append("an open snapshot") }
        return problems
    }
}
