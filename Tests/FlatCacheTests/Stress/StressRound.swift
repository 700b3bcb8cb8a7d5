import Synchronization

@testable import FlatCache

/// Threads that do everything at once to one cache, and note all that they do and hear.
///
/// From the commits it is worked out afterwards what each observer must have been told, and what
/// each snapshot must have shown.
final class StressRound: Sendable {
    /// How the threads write, and how the commits become known.
    enum Manner: CaseIterable {
        /// In batches and updates, and single values by merging: all of these run code of the
        /// test's under the writers' lock, which notes what is written.
        case noted
        /// As `noted`, but unobserved values are removed, and so no single values are merged.
        case pruned
        /// In every way that there is. An observer of each entity notes what is written.
        case witnessed
    }

    /// What a snapshot showed.
    struct Sighting: Sendable {
        let version: UInt64
        let values: [StressEntity]
    }

    static let threads = 4
    /// How many entities there are.
    static let ids = 20
    /// Those below this are there from the beginning, and in rounds that are `noted` never removed.
    static let lastingIDs = 6

    let seed: Seed
    let manner: Manner
    let cache = Cache()
    let handles: [Cached<StressEntity>]
    let clock = StressClock()
    let ledger = StressLedger()
    let problems = Recorder<String>()
    let sightings = Recorder<Sighting>()
    /// What was written, where writers do not note it in the ledger.
    let submissions = Recorder<StressSubmission>()
    /// All observations, in no order that means anything.
    let observations = Recorder<StressObservation>()
    /// Those that nobody has begun to end.
    let live = Locked<[StressObservation]>([])
    /// How many observers have been released.
    let released = Atomic<Int>(0)
    private let stamps = StressClock()
    private let steps: Int
    /// How many more times observers may write, or observe anew.
    private let reactions: Atomic<Int>

    init(seed: Seed, steps: Int) {
        self.seed = seed
        self.steps = steps
        manner = Manner.allCases[Int(seed.number % 3)]
        reactions = Atomic(steps)
        handles = (0..<Self.ids).map { [cache] in cache.cached(StressEntity.self, id: $0) }
    }

    /// Runs the threads; returns what was wrong.
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
        // The last calls may be left to a thread of the queue's own.
        guard cache.isSettled() else {
            return ["Not all calls were made."]
        }
        // First of all: whoever takes the writers' lock does what others have left undone.
        let watchedCount = cache.core.watchedCount
        cache.core.checkInvariants()
        var found: [String] = []
        let commits =
            manner == .witnessed
            ? StressWitnesses(witnesses, &found).commits(after: submissions.all, &found)
            : ledger.commits(upTo: cache.version, problems: &found)
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

    /// Ends the observations that are left; then no observer must be held, and nothing watched.
    private func endAll() {
        for observation in observations.all { end(observation) }
        let made = observations.count
        if !eventually({ released.load(ordering: .acquiring) == made }) {
            problems.append("\(made) observers were made, but not as many released.")
        }
        if cache.core.watchedCount != 0 {
            problems.append("Something is watched though nobody observes.")
        }
    }

    func newEntity(_ id: StressEntity.ID, _ links: StressEntityIDs?) -> StressEntity {
        StressEntity(id: id, stamp: stamps.tick(), links: links)
    }

    /// Whether an observer may write or observe once more.
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
            // Not ever more of them: each makes every commit slower.
            if live.withLock({ $0.count }) < 24 { observe(&generator) } else { endOne(&generator) }
        case 15..<17: endOne(&generator)
        case 17: look()
        default:
            for _ in 0..<generator.below(60) { _ = cache.version }
        }
    }

    private func look() {
        let sighting = cache.withSnapshot { snapshot in
            yieldToOtherThreads()
            let values = snapshot.values(of: StressEntity.self)
            expect(
                snapshot.count(of: StressEntity.self) == values.count
                    && Set(snapshot.ids(of: StressEntity.self)) == Set(values.map(\.id))
                    && values.allSatisfy { snapshot[StressEntity.self, $0.id] == $0 },
                "A snapshot did not agree with itself."
            )
            return Sighting(version: snapshot.version, values: values)
        }
        sightings.append(sighting)
    }
}
