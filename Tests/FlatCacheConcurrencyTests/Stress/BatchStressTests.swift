import Synchronization
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests that readers never see part of a batch while other threads write batches.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
@Suite(.exclusive)
struct BatchStressTests {
    struct Refusal: Error {}

    let cache = Cache(configuration: .smallSegments)
    let problems = Recorder<String>()

    @Test func snapshotShowsWholeBatchesOnly() {
        let stations = UniformStations()
        let write: @Sendable () -> Void = {
            for step in 0..<250 {
                stations.write()
                // An in-place write between two batches: an open snapshot must keep the older text.
                stations.cache.set(Note(id: 1, text: "\(step)"))
            }
        }
        stations.cache.set(Note(id: 1, text: "begin"))
        let read: @Sendable () -> Void = { [problems] in
            let problem: String? = stations.cache.withSnapshot { snapshot in
                let note = snapshot[Note.self, 1]?.text
                let problem = UniformStations.problem(with: snapshot)
                let noteLater = snapshot[Note.self, 1]?.text
                if note == nil || note != noteLater {
                    return "\(String(describing: note)) became \(String(describing: noteLater))."
                }
                return problem
            }
            if let problem { problems.append(problem) }
        }
        #expect(underStress(writers: [write, write], readers: [read, read]))
        #expect(problems.all.first == nil)
        #expect(stations.read(0, 0) == 501)
        stations.cache.core.checkInvariants()
    }

    @Test(arguments: RandomTestSettings(seeds: 1, hasThreads: true).seeds)
    func readsInSequenceNeverGoBackBehindABatch(seed: Seed) {
        let stations = UniformStations()
        // The observed station is never written in place.
        let observation = stations.cache.cached(Station.self, id: 3).observe { _ in }
        let write: @Sendable () -> Void = { for _ in 0..<300 { stations.write() } }
        let read: @Sendable (Int) -> Void = { [problems] reader in
            var generator = SplitMix64(seed: seed, stream: reader)
            var seen = (number: 0, place: 0)
            for _ in 0..<200 {
                // Half of the reads take the first or the last place written, which a batch writes
                // furthest apart.
                let place =
                    generator.oneIn(2)
                    ? generator.pick([0, UniformStations.places - 1])
                    : generator.below(UniformStations.places)
                let way = generator.below(4)
                guard let number = stations.read(place, way) else {
                    problems.append("There was no value at \(place), read in way \(way).")
                    continue
                }
                if number < seen.number {
                    problems.append("\(seen), but then \(number) at \(place) in way \(way)")
                }
                seen = (max(number, seen.number), place)
            }
        }
        let readers = (1...3).map { reader in { @Sendable in read(reader) } }
        #expect(underStress(writers: [write, write], readers: readers))
        #expect(problems.all.first == nil)
        observation.dispose()
        stations.cache.core.checkInvariants()
    }

    @Test func batchThatThrowsLeavesNoTrace() {
        cache.set(contentsOf: Station.chain(8))
        let watched = cache.core.watchedCount
        let received = Recorder<EntityChange<Station>>()
        let observation = cache.cached(Station.self, id: 0).observeChanges { received.append($0) }
        let write: @Sendable () -> Void = { [self] in
            for _ in 0..<150 {
                spoilAndThrow()
                // An inner batch that throws inside an outer one that succeeds.
                cache.performBatchUpdates { batch in
                    batch.touch(7)
                    spoilAndThrow()
                    batch.touch(6)
                }
            }
        }
        let read: @Sendable () -> Void = { [cache, problems] in
            let seen = cache.withSnapshot { snapshot in
                (snapshot.values(of: Station.self), snapshot.count(of: Station.self))
            }
            let isSpoilt = seen.0.contains { $0.revision < 0 || $0.id > 7 || $0.next.contains(100) }
            if isSpoilt || seen.0.count != 8 || seen.1 != 8 { problems.append("\(seen)") }
            for id in 0..<8 where (cache[Station.self, id]?.revision ?? -1) < 0 {
                problems.append("Station \(id) showed a rolled-back write.")
            }
            if cache.contains(Station.self, id: 100) || cache.count(of: Note.self) != 0 {
                problems.append("A rolled-back insertion was visible.")
            }
        }
        #expect(underStress(writers: [write, write], readers: [read, read]))
        #expect(problems.all.first == nil)
        #expect(cache[Station.self, 7]?.revision == 300)
        #expect(cache[Station.self, 6]?.revision == 300)
        #expect(received.count == 300)
        let causes = Set([6, 7].map { CacheKey(Station.self, id: $0) })
        #expect(received.all.allSatisfy { $0.kind == .related && $0.causes == causes })
        cache.core.checkInvariants()
        observation.dispose()
        #expect(cache.core.watchedCount == watched)
    }

    /// Changes, inserts and removes entities and relationships in nested batches, the outermost of
    /// which throws.
    private func spoilAndThrow() {
        do throws(Refusal) {
            try cache.performBatchUpdates { batch throws(Refusal) in
                batch.set(Station(id: 0, revision: -1, next: [100]))
                batch.set(contentsOf: (100..<130).map { Station(id: $0, next: [0, 5]) })
                batch.remove(Station.self, id: 3)
                yieldToOtherThreads()
                batch.set(Note(id: 1, text: ""))
                cache.performBatchUpdates { inner in
                    inner.remove(Station.self, id: 100)
                    inner.set(Station(id: 3, revision: -2))
                    inner.removeAll(Note.self)
                    inner.set(Note(id: 2, text: ""))
                }
                do throws(Refusal) {
                    try cache.performBatchUpdates { inner throws(Refusal) in
                        inner.removeAll()
                        inner.set(Station(id: 4, revision: -3, next: [100]))
                        throw Refusal()
                    }
                } catch {
                    let isRestored =
                        batch[Station.self, 3]?.revision == -2
                        && batch.count(of: Station.self) == 37 && batch[Note.self, 2] != nil
                    if !isRestored { problems.append("An inner batch wasn't rolled back.") }
                }
                throw Refusal()
            }
            problems.append("A batch didn't throw.")
        } catch {
            // The outermost batch throws this error on purpose.
        }
    }

    @Test func noUpdateIsLost() {
        let station = cache.cached(Station.self, id: 1)
        let tally = cache.cached(Tally.self, id: "tally")
        station.value = Station(id: 1)
        tally.value = Tally(id: "tally", count: 0)
        let steps = Recorder<Int>()
        let counts = Recorder<Int>()
        let observations = [
            station.observeChanges { change in
                steps.append((change.new?.revision ?? 0) - (change.old?.revision ?? 0))
            },
            tally.observe { counts.append($0.count) },
        ]
        let ended = onThreads(8) { [self] thread in
            for _ in 0..<120 { count(thread, station, tally) }
        }
        #expect(ended)
        #expect(cache.isSettled())
        // Cases 0 to 3 of `count` run once per round each, and so do cases 4 to 7, of which the
        // last adds two to the tally.
        #expect(station.value?.revision == 4 * 120)
        #expect(tally.value?.count == 5 * 120)
        #expect(steps.all == Array(repeating: 1, count: 4 * 120))
        #expect(counts.all == counts.all.sorted() && Set(counts.all).count == 4 * 120)
        for observation in observations { observation.dispose() }
        cache.core.checkInvariants()
    }

    /// Increments the counter of one of eight threads, each in a different way.
    ///
    /// Most ways yield in the middle of the update so that other threads run between its read and
    /// its write.
    private func count(_ thread: Int, _ station: Cached<Station>, _ tally: Cached<Tally>) {
        switch thread {
        case 0:
            cache.update(Station.self, id: 1) { station in
                yieldToOtherThreads()
                station.revision += 1
            }
        case 1:
            cache.performBatchUpdates { batch in
                var station = batch[Station.self, 1] ?? Station(id: 1)
                yieldToOtherThreads()
                station.revision += 1
                batch.set(station)
            }
        case 2:
            station.update { station in
                yieldToOtherThreads()
                station.revision += 1
            }
        case 3:
            cache.performBatchUpdates { _ in
                cache.performBatchUpdates { $0.touch(1) }
                do throws(Refusal) {
                    try station.update { station throws(Refusal) in
                        yieldToOtherThreads()
                        station.revision += 10
                        throw Refusal()
                    }
                } catch {
                    // The update threw, so the ten aren't counted.
                }
            }
        case 4:
            cache.set(Tally(id: "tally", count: 1))
        case 5:
            cache.performBatchUpdates { $0.set(Tally(id: "tally", count: 1)) }
        case 6:
            tally.value = Tally(id: "tally", count: 1)
        default:
            cache.performBatchUpdates { batch in
                let count = batch[Tally.self, "tally"]?.count ?? 0
                yieldToOtherThreads()
                cache.replace(Tally(id: "tally", count: count + 1))
                tally.value = Tally(id: "tally", count: 1)
            }
        }
    }
}
