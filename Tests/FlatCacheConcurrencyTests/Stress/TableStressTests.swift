import Synchronization
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests reads of stored values while other threads insert and remove many entries.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
@Suite(.exclusive)
struct TableStressTests {
    let cache = Cache(configuration: .smallSegments)
    let problems = Recorder<String>()

    @Test(arguments: RandomTestSettings(seeds: 1, hasThreads: true).seeds)
    func snapshotIsConsistentDuringInsertionsAndRemovals(seed: Seed) {
        // Each station has a note with the same identifier, inserted and removed in the same batch.
        let write: @Sendable (Int) -> Void = { [cache] writer in
            var generator = SplitMix64(seed: seed, stream: writer)
            for _ in 0..<400 {
                let ids = (0..<generator.below(12)).map { _ in generator.below(200) }
                cache.performBatchUpdates { batch in
                    for id in ids {
                        if batch.remove(Station.self, id: id) == nil {
                            batch.set(Station(id: id, revision: id))
                            batch.set(Note(id: id, text: ""))
                        } else {
                            batch.remove(Note.self, id: id)
                        }
                    }
                    if ids.isEmpty { batch.removeAll() }
                }
            }
        }
        let read: @Sendable () -> Void = { [cache, problems] in
            cache.withSnapshot { snapshot in
                // The counts come first because the snapshot doesn't store them with the values.
                let counts = (snapshot.count(of: Station.self), snapshot.count(of: Note.self))
                let ids = Set(snapshot.ids(of: Station.self))
                let values = snapshot.values(of: Station.self)
                let isInOrder =
                    values.count == ids.count && Set(values.map(\.id)) == ids
                    && values.allSatisfy { $0.id == $0.revision }
                    && counts == (ids.count, ids.count)
                    && Set(snapshot.ids(of: Note.self)) == ids
                    && (0..<200).allSatisfy {
                        snapshot.contains(Station.self, id: $0) == ids.contains($0)
                    }
                if isInOrder { return }
                problems.append("\(ids.count) ids, \(values.count) values, \(counts)")
            }
            let ids = cache.ids(of: Station.self)
            if Set(ids).count != ids.count { problems.append("\(ids) contains duplicates.") }
        }
        let writers = (1...2).map { writer in { @Sendable in write(writer) } }
        #expect(underStress(writers: writers, readers: [read, read]))
        #expect(problems.all.first == nil)
        cache.core.checkInvariants()
    }

    @Test func snapshotsOpenAndCloseDuringReclamation() {
        cache.set(contentsOf: (0..<20).lazy.map { Station(id: $0) })
        // Batches go through the prior versions that open snapshots keep.
        let write: @Sendable () -> Void = { [cache] in
            for revision in 1...1_000 {
                cache.performBatchUpdates { batch in
                    for id in 0..<20 { batch.set(Station(id: id, revision: revision)) }
                }
            }
        }
        let read: @Sendable () -> Void = { [cache, problems] in
            cache.withSnapshot { outer in
                let revision = outer[Station.self, 0]?.revision
                // These snapshots take only the lock that guards the list of snapshots, so no other
                // lock orders them.
                for _ in 0..<50 { cache.withSnapshot { _ in } }
                let later = outer[Station.self, 19]?.revision
                if revision != later { problems.append("\(String(describing: (revision, later)))") }
            }
        }
        #expect(underStress(writers: [write], readers: [read, read, read]))
        #expect(problems.all.first == nil)
        cache.core.checkInvariants()
    }

    @Test func entriesAreFoundWhileTheTableGrowsAndShrinks() {
        let known = 64
        let count = 10_000
        let handles = (0..<known).map { cache.cached(Station.self, id: -1 - $0) }
        cache.set(contentsOf: (0..<known).map { Station(id: -1 - $0, revision: $0) })
        let grow: @Sendable (Int) -> Void = { [cache] part in
            let ids = (0..<count).map { $0 * 2 + part }
            for (index, id) in ids.enumerated() {
                if index % 500 == 0 {
                    cache.set(contentsOf: ids[index..<index + 250].map { Station(id: $0) })
                } else if index % 500 >= 250 {
                    cache.set(Station(id: id))
                }
            }
            cache.performBatchUpdates { batch in
                for id in ids.dropLast(100) { batch.remove(Station.self, id: id) }
            }
            for id in ids.suffix(100) { cache.remove(Station.self, id: id) }
        }
        let read: @Sendable (Int) -> Void = { [cache, problems] way in
            for place in 0..<known {
                let id = -1 - place
                let found: Station? =
                    switch way {
                    case 0: cache[Station.self, id]
                    case 1: handles[place].value
                    case 2: cache.cached(Station.self, id: id).value
                    default: cache.withSnapshot { $0[Station.self, id] }
                    }
                if found?.revision != place { problems.append("\(id) was missed in way \(way).") }
            }
        }
        let writers = (0..<2).map { part in { @Sendable in grow(part) } }
        let readers = (0..<4).map { way in { @Sendable in read(way) } }
        #expect(underStress(writers: writers, readers: readers))
        #expect(problems.all.first == nil)
        #expect(cache.count(of: Station.self) == known)
        cache.core.checkInvariants()
    }

    @Test func stableEntriesAreFoundWhileTheirNeighboursChange() {
        let known = 0..<48
        cache.set(contentsOf: known.map { Station(id: $0, revision: $0) })
        // Each removal leaves a gap into which the table moves a neighbouring entry.
        let write: @Sendable () -> Void = { [cache] in
            for round in 0..<40 {
                for id in 100..<160 { cache.set(Station(id: id, revision: id)) }
                for id in 100..<160 {
                    cache.remove(Station.self, id: round % 2 == 0 ? id : 259 - id)
                }
            }
        }
        let read: @Sendable (Range<Int>, Bool) -> Void = { [cache, problems] ids, throughHandle in
            for id in ids {
                let station =
                    throughHandle
                    ? cache.cached(Station.self, id: id).value : cache[Station.self, id]
                if station == nil && ids == known { problems.append("\(id) was missed.") }
                if let station, station.id != id || station.revision != id {
                    problems.append("\(station) was found at \(id).")
                }
            }
        }
        let readers: [@Sendable () -> Void] = [
            { read(known, false) }, { read(known, true) }, { read(100..<160, false) },
        ]
        #expect(underStress(writers: [write], readers: readers))
        #expect(problems.all.first == nil)
        #expect(cache.count(of: Station.self) == known.count)
        cache.core.checkInvariants()
    }

    @Test func handleIsEmptyOnlyWhileItsValueIsRemoved() {
        // If the phase is a multiple of four, the value exists and has the phase as its revision.
        // Two phases later it is absent. In the odd phases between, both states are valid.
        let phase = Atomic<Int>(0)
        let handle = cache.cached(Station.self, id: 0)
        let rounds = 600
        handle.value = Station(id: 0)
        let write: @Sendable () -> Void = { [cache] in
            for round in 0..<rounds {
                phase.add(1, ordering: .sequentiallyConsistent)
                switch round % 5 {
                case 0: cache.remove(Station.self, id: 0)
                case 1: handle.value = nil
                case 2: cache.performBatchUpdates { $0.removeAll(Station.self) }
                case 3: cache.pruneUnobservedValues()
                default: cache.removeAll()
                }
                phase.add(1, ordering: .sequentiallyConsistent)
                // The inserted entries take the free slot and make the table move its neighbours.
                cache.set(contentsOf: (1...20).map { Station(id: $0, revision: -1) })
                let next = phase.add(1, ordering: .sequentiallyConsistent).newValue + 1
                let value = Station(id: 0, revision: next)
                if round % 2 == 0 { cache.set(value) } else { handle.value = value }
                phase.add(1, ordering: .sequentiallyConsistent)
            }
        }
        let read: @Sendable (Cached<Station>) -> Void = { [problems] handle in
            let before = phase.load(ordering: .sequentiallyConsistent)
            let value = handle.value
            let after = phase.load(ordering: .sequentiallyConsistent)
            if let value, value.id != 0 { problems.append("\(value) belongs to another entity.") }
            if let value, !(before - 3...after + 1).contains(value.revision) {
                problems.append("\(value) was read between \(before) and \(after).")
            }
            guard before == after else { return }
            switch (before % 4, value) {
            case (0, .some(let value)) where value.revision == before: break
            case (2, nil): break
            case (1, _), (3, _): break
            default: problems.append("\(String(describing: value)) was read in \(before).")
            }
        }
        let readers: [@Sendable () -> Void] = [
            { for _ in 0..<50 { read(handle) } },
            { [cache] in
                let other = cache.cached(Station.self, id: 0)
                for _ in 0..<50 { read(other) }
            },
        ]
        #expect(underStress(writers: [write], readers: readers))
        #expect(problems.all.first == nil)
        #expect(handle.value?.revision == rounds * 4)
        cache.core.checkInvariants()
    }
}
