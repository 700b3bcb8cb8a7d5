import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests copies of a type's values that follow its changes while several threads write.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
@Suite(.exclusive, .timeLimit(.minutes(15)))
struct CacheSequenceStressTests {
    private static let stationCount = 40
    /// The identifier of the station that is written after all threads have ended.
    private static let lastID = -1

    /// A copy of a cache's stations, updated by changes only.
    private struct Mirror {
        private(set) var stations: [Station.ID: Station] = [:]
        private(set) var problems: [String] = []
        private var version: UInt64 = 0

        init() {}

        /// Creates a copy with the contents of a snapshot.
        init(_ snapshot: CacheSnapshot) {
            version = snapshot.version
            for station in snapshot.values(of: Station.self) { stations[station.id] = station }
        }

        mutating func apply(_ change: EntityChange<Station>) {
            if change.version < version { problems.append("\(change) comes after \(version).") }
            if change.old != stations[change.id] {
                let known = stations[change.id].map { "\($0)" } ?? "nothing"
                problems.append("\(change) comes after \(known).")
            }
            let expected: EntityChange<Station>.Kind =
                change.new == nil ? .removed(.explicit) : change.old == nil ? .inserted : .updated
            if change.kind != expected { problems.append("\(change) is not \(expected).") }
            version = change.version
            stations[change.id] = change.new
        }
    }

    /// Makes random commits.
    private static func write(_ cache: Cache, count: Int, _ generator: SplitMix64) {
        var generator = generator
        for step in 0..<count {
            switch generator.below(20) {
            case 0: cache.removeAll(Station.self)
            case 1...4: cache.remove(Station.self, id: generator.below(stationCount))
            case 5...7:
                cache.performBatchUpdates { batch in
                    for _ in 0..<10 {
                        let id = generator.below(stationCount)
                        if generator.oneIn(3) {
                            batch.remove(Station.self, id: id)
                        } else {
                            batch.set(Station(id: id, revision: step))
                        }
                    }
                }
            case 8: cache.set(contentsOf: Station.chain(generator.below(stationCount)))
            case 9...12: cache.touch(generator.below(stationCount))
            default: cache.set(Station(id: generator.below(stationCount), revision: step))
            }
        }
    }

    @Test(arguments: [true, false])
    func mirrorOfATypeEndsWithTheContentsOfTheCache(isSlow: Bool) async {
        await RandomTestSettings(seeds: 2, hasThreads: true).forEachSeed { seed in
            let cache = Cache()
            var iterator = cache.changes(of: Station.self).makeAsyncIterator()
            let threads = Self.startWriters(cache, seed)
            // The slowest consumer begins after all writes.
            if isSlow { #expect(await until { threads.allSatisfy(\.hasEnded) }) }
            var mirror = Mirror()
            let end = Self.markEnd(of: threads, in: cache)
            while let change = await iterator.next() {
                mirror.apply(change)
                if change.id == Self.lastID { break }
            }
            #expect(end.wait())
            return FailureReport(seed: seed, problems: Self.problems(of: mirror, cache))
        }
    }

    @Test func mirrorMayBeginWithASnapshot() async {
        await RandomTestSettings(seeds: 2, hasThreads: true).forEachSeed { seed in
            let cache = Cache()
            let threads = Self.startWriters(cache, seed)
            #expect(
                await until { cache.core.withWriterLock("a test") { _ in cache.version > 300 } }
            )
            var iterator = cache.changes(of: Station.self).makeAsyncIterator()
            let (version, initial) = cache.withSnapshot { ($0.version, Mirror($0)) }
            var mirror = initial
            let end = Self.markEnd(of: threads, in: cache)
            while let change = await iterator.next() {
                if change.version > version { mirror.apply(change) }
                if change.id == Self.lastID { break }
            }
            #expect(end.wait())
            return FailureReport(seed: seed, problems: Self.problems(of: mirror, cache))
        }
    }

    private static func startWriters(_ cache: Cache, _ seed: Seed) -> [RunningThread] {
        (0..<4).map { number in
            RunningThread {
                write(cache, count: 600, SplitMix64(seed: seed, stream: number))
            }
        }
    }

    /// Writes the last station after the writers have ended.
    private static func markEnd(of threads: [RunningThread], in cache: Cache) -> RunningThread {
        RunningThread {
            for thread in threads { _ = thread.wait() }
            cache.set(Station(id: lastID))
        }
    }

    private static func problems(of mirror: Mirror, _ cache: Cache) -> [String] {
        let stored = cache.values(of: Station.self)
        let difference = stored.filter { mirror.stations[$0.id] != $0 }.map {
            "\($0) is \(mirror.stations[$0.id].map { "\($0)" } ?? "missing") in the mirror."
        }
        let isComplete = mirror.stations.count == stored.count
        return mirror.problems + difference
            + (isComplete ? [] : ["The mirror has \(mirror.stations.count) stations."])
    }
}
