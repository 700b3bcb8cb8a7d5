import Testing
import Synchronization

@testable import FlatCache
@testable import FlatCacheTestSupport

/// A round of random operations on one cache by several threads, and the record of their calls and
/// observations.
///
/// After the round, `StressReplay` derives the expected calls and snapshots from the commits.
final class StressRound: Sendable {
    /// The kinds of writes in a round, and the source of its list of commits.
    enum Manner: CaseIterable {
        /// Batches, updates and merges of single values. All of them run code of the test under the
        /// writers' lock, which records the write.
        case noted
        /// The writes of `noted` and removals of unobserved values, but no merges of single values.
        case pruned
        /// Writes of all kinds. One observer per entity records the commits.
        case witnessed
    }

    /// The contents of a snapshot.
    struct SnapshotReading: Sendable {
        let version: UInt64
        let values: [StressEntity]
    }

    static let threads = 4
    /// The number of entities.
    static let ids = 20
    /// The number of initial entities, whose identifiers are below it.
    ///
    /// `noted` rounds never remove them.
    static let lastingIDs = 6

    let seed: Seed
    let manner: Manner
    let cache = Cache(configuration: .smallSegments)
    let handles: [Cached<StressEntity>]
    let clock = StressClock()
    let writes = StressWrites()
    let problems = Recorder<String>()
    let readings = Recorder<SnapshotReading>()
    /// The writes of a `witnessed` round, which aren't recorded in `writes`.
    let submissions = Recorder<StressSubmission>()
    /// All observations, in arbitrary order.
    let observations = Recorder<StressObservation>()
    /// The active observations.
    let live = Locked<[StressObservation]>([])
    /// The number of released observers.
    let released = Locked(0)
    private let stamps = StressClock()
    private let steps: Int
    /// The number of further actions that observers may take in their calls.
    private let reactions: Atomic<Int>

    init(seed: Seed, steps: Int) {
        self.seed = seed
        self.steps = steps
        manner = Manner.allCases[Int(seed.number % 3)]
        reactions = Atomic(steps)
        handles = (0..<Self.ids).map { [cache] in cache.cached(StressEntity.self, id: $0) }
    }

    /// Runs the threads and returns a description of each failure.
    func run() -> [String] {
        let witnesses = manner == .witnessed ? (0..<Self.ids).map { witness($0) } : []
        if manner != .witnessed {
            transact { batch, contents in
                for id in 0..<Self.lastingIDs { set(newEntity(id, nil), in: batch, &contents) }
            }
        }
        let ended = onThreads(Self.threads) { [self] thread in
            var generator = SplitMix64(seed: seed, stream: thread)
            for _ in 0..<steps { step(&generator) }
        }
        guard ended else { return ["The threads did not end."] }
        // A thread of the delivery queue may still make the last calls.
        guard cache.isSettled() else {
            return ["Not all calls were made."]
        }
        // These come before the replay, because the next holder of the writers' lock completes
        // unfinished work and would hide that a thread left some.
        let watchedCount = cache.core.watchedCount
        cache.core.checkInvariants()
        var found: [String] = []
        let commits =
            manner == .witnessed
            ? StressWitnesses(witnesses, &found).commits(after: submissions.all, &found)
            : writes.commits(upTo: cache.version, problems: &found)
        let replay = StressReplay(self, commits)
        found += replay.problems
        expect(
            watchedCount == replay.watched.all.count,
            "\(watchedCount) entities were watched, not \(replay.watched.all)."
        )
        endAll()
        cache.core.checkInvariants()
        return problems.all + found
    }

    /// Ends the remaining observations, and checks that no observer is retained and no entity
    /// watched.
    private func endAll() {
        for observation in observations.all { end(observation) }
        let made = observations.count
        if !blockUntil({ released.withLock { $0 } == made }) {
            problems.append("Not all of \(made) observers were released.")
        }
        if cache.core.watchedCount != 0 {
            problems.append("Entities are watched without an observation.")
        }
    }

    func newEntity(_ id: StressEntity.ID, _ links: StressEntityIDs?) -> StressEntity {
        StressEntity(id: id, stamp: stamps.tick(), links: links)
    }

    /// Returns a Boolean value that indicates whether an observer may take another action.
    func takeReaction() -> Bool {
        reactions.subtract(1, ordering: .relaxed).newValue >= 0
    }

    func expect(_ condition: Bool, _ problem: @autoclosure () -> String) {
        if !condition { problems.append(problem()) }
    }

    func write(_ generator: inout SplitMix64) {
        switch (manner, generator.below(12)) {
        case (.witnessed, _): writeUnnoted(&generator)
        case (_, 0..<7): transact(&generator)
        case (_, 7..<9): update(&generator)
        case (.pruned, _): prune()
        default: merge(&generator)
        }
    }

    private func step(_ generator: inout SplitMix64) {
        switch generator.below(20) {
        case 0..<12: write(&generator)
        case 12..<15:
            // Each observation slows every commit down, so their number is limited.
            if live.withLock({ $0.count }) < 24 { observe(&generator) } else { endOne(&generator) }
        case 15..<17: endOne(&generator)
        case 17: look()
        default:
            for _ in 0..<generator.below(60) { _ = cache.version }
        }
    }

    private func look() {
        let reading = cache.withSnapshot { snapshot in
            yieldToOtherThreads()
            let values = snapshot.values(of: StressEntity.self)
            expect(
                snapshot.count(of: StressEntity.self) == values.count
                    && Set(snapshot.ids(of: StressEntity.self)) == Set(values.map(\.id))
                    && values.allSatisfy { snapshot[StressEntity.self, $0.id] == $0 },
                "A snapshot did not agree with itself."
            )
            return SnapshotReading(version: snapshot.version, values: values)
        }
        readings.append(reading)
    }
}
