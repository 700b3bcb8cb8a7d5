@testable import FlatCache
@testable import FlatCacheTestSupport

/// A simple model that derives the calls of all observers and the contents of all snapshots from
/// the commits of a round, and compares them with the recorded ones.
struct StressReplay {
    private(set) var problems: [String] = []
    /// The entities that the remaining observations reach.
    private(set) var watched = StressEntityIDs()
    private var contents: [StressEntity?] = Array(repeating: nil, count: StressRound.ids)
    private var version: UInt64 = 0

    /// Replays the commits of a finished round, before its remaining observations are ended.
    init(_ round: StressRound, _ commits: [StressCommit]) {
        var trials = round.observations.all.map(StressTrial.init)
        trials.sort { $0.record.registration.earliest < $1.record.registration.earliest }
        let readings = Dictionary(grouping: round.readings.all, by: \.version)
        replay(commits, &trials, readings)
        check(round.writes.prunes, trials)
        for trial in trials where trial.record.end == nil {
            watched = watched.union(reach(of: trial.observation))
        }

        let timeline = StressTimeline(trials)
        for index in trials.indices { problems += trials[index].compare(on: timeline) }
        problems += timeline.problems + StressTimeline.problemsOfOrder(trials)

        let values = round.cache.values(of: StressEntity.self)
        expect(
            values.sorted { $0.id < $1.id } == contents.compactMap(\.self),
            "The contents of the cache differ from the model."
        )
        expect(
            round.handles.map(\.value) == contents,
            "The values of the handles differ from the model."
        )
    }

    private mutating func expect(_ condition: Bool, _ problem: @autoclosure () -> String) {
        if !condition { problems.append(problem()) }
    }

    private mutating func replay(
        _ commits: [StressCommit],
        _ trials: inout [StressTrial],
        _ readings: [UInt64: [StressRound.SnapshotReading]]
    ) {
        var readings = readings
        var next = 0
        var active: [Int] = []
        for commit in [StressCommit(version: 0, changes: [:])] + commits {
            let before = contents
            for (id, value) in commit.changes { contents[id] = value }
            version = commit.version
            let changed = StressEntityIDs(commit.changes.keys)
            for index in active {
                trials[index].note(contents, at: version)
                let causes = reach(of: trials[index].observation).intersection(changed)
                guard !causes.isEmpty else { continue }
                let id = trials[index].observation.id
                trials[index].expect(
                    StressEvent(
                        kind: kind(of: id, changed, before),
                        old: before[id],
                        new: contents[id],
                        causes: causes,
                        version: version
                    )
                )
            }
            while next < trials.count, trials[next].record.registration.earliest <= version {
                expect(
                    trials[next].record.registration.earliest == version,
                    "A version has no commit."
                )
                trials[next].note(contents, at: version)
                active.append(next)
                next += 1
            }
            active.removeAll { trials[$0].endsBefore(version + 1) }
            let values = contents.compactMap(\.self)
            for reading in readings.removeValue(forKey: version) ?? [] {
                expect(
                    reading.values.sorted { $0.id < $1.id } == values,
                    "A snapshot of \(commit.version) showed \(reading.values), not \(values)."
                )
            }
        }
        expect(next == trials.count && readings.isEmpty, "A version is greater than the last one.")
    }

    private func kind(
        of id: StressEntity.ID,
        _ changed: StressEntityIDs,
        _ before: [StressEntity?]
    ) -> EntityChange<StressEntity>.Kind {
        guard changed.contains(id) else { return .related }
        if before[id] == nil { return .inserted }
        return contents[id] == nil ? .removed(.explicit) : .updated
    }

    private func reach(of observation: StressObservation) -> StressEntityIDs {
        Self.reach(of: observation) { contents[$0]?.links }
    }

    /// Returns the entities that an observation reaches over relationships.
    private static func reach(
        of observation: StressObservation,
        _ links: (StressEntity.ID) -> StressEntityIDs?
    ) -> StressEntityIDs {
        var reached = StressEntityIDs([observation.id])
        var outermost = reached
        var level = 0
        while level < observation.following.levelLimit, !outermost.isEmpty {
            var further = StressEntityIDs()
            for id in outermost.all { further = further.union(links(id) ?? StressEntityIDs()) }
            outermost = further.subtracting(reached)
            reached = reached.union(outermost)
            level += 1
        }
        return reached
    }

    /// Checks that the removals of unobserved values removed no observed entity and kept no
    /// unobserved one.
    private mutating func check(_ prunes: [StressPrune], _ trials: [StressTrial]) {
        for prune in prunes {
            var certain = StressEntityIDs()
            var possible = StressEntityIDs()
            for trial in trials where trial.mayBeObserving(prune.start...prune.end) {
                let reached = Self.reach(of: trial.observation) { prune.contents[$0]?.links }
                possible = possible.union(reached)
                if trial.isObserving(prune.start...prune.end) { certain = certain.union(reached) }
            }
            let present = StressEntityIDs(prune.contents.keys)
            expect(
                certain.intersection(present).subtracting(prune.kept).isEmpty,
                "Of the observed entities \(certain.all), only \(prune.kept.all) were kept."
            )
            expect(
                prune.kept.subtracting(possible).isEmpty,
                "\(prune.kept.all) were kept, but only \(possible.all) were observed."
            )
        }
    }
}
