import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the times at which the cache calls observers of a type, and the actions that these may
/// take.
@Suite(.exclusive)
struct CacheObservingAllDeliveryTests {
    let cache = Cache()
    let received = Recorder<String>()

    private func record(_ name: String) -> Disposable {
        cache.observeAll(Station.self) { [received] in received.append("\(name) \($0.signs)") }
    }

    private func record(_ name: String, _ id: Station.ID) -> Disposable {
        cache.cached(Station.self, id: id).observe { [received] in
            received.append("\(name) \($0.id)")
        }
    }

    @Test func severalObserversReceiveTheSameChanges() {
        let tokens = [record("a"), record("b")]
        cache.set(contentsOf: [Station(id: 1), Station(id: 2)])
        #expect(received.all == ["a +1 +2", "b +1 +2"])
        tokens[0].dispose()
        cache.touch(1)
        #expect(received.all == ["a +1 +2", "b +1 +2", "b ~1"])
        tokens[1].dispose()
        cache.touch(1)
        #expect(received.count == 3)
    }

    @Test func observersOfEntitiesAndOfTypesAreCalledInTheOrderOfTheirObservations() {
        let notes = cache.observeAll(Note.self) { [received] in received.append("b \($0.signs)") }
        let tokens = [
            record("c", 1), record("d"), record("e", 2), record("f"), record("g", 1), notes,
        ]
        cache.performBatchUpdates { batch in
            batch.set(Station(id: 2))
            batch.set(Note(id: 1, text: ""))
            batch.set(Station(id: 1))
        }
        #expect(
            received.all == ["b +1", "c 1", "d +2 +1", "e 2", "f +2 +1", "g 1"]
        )
        for token in tokens { token.dispose() }
    }

    @Test func observersAddedInABatchReceiveAllOfIt() {
        let tokens = Locked<[Disposable]>([])
        cache.performBatchUpdates { batch in
            batch.set(Station(id: 1))
            let token = record("a")
            tokens.withLock { $0.append(token) }
            batch.set(Station(id: 2))
        }
        #expect(received.all == ["a +1 +2"])
        tokens.withLock { $0 }.forEach { $0.dispose() }
    }

    @Test func observersEndedInABatchDontReceiveIt() {
        let ended = record("a")
        let other = record("b")
        cache.performBatchUpdates { batch in
            batch.set(Station(id: 1))
            ended.dispose()
            batch.set(Station(id: 2))
        }
        #expect(received.all == ["b +1 +2"])
        other.dispose()
    }

    @Test func observersMayBeginAndEndInAnUpdate() {
        // Observing in the closure of an update can rule out an exchange in place.
        cache.set(Station(id: 1))
        let tokens = Locked<[Disposable]>([])
        cache.update(Station.self, id: 1) { station in
            station.revision = 1
            let token = record("a")
            tokens.withLock { $0.append(token) }
        }
        #expect(received.all == ["a ~1"])
        cache.update(Station.self, id: 1) { station in
            station.revision = 2
            tokens.withLock { $0 }.forEach { $0.dispose() }
        }
        #expect(received.all == ["a ~1"])
        #expect(cache[Station.self, 1]?.revision == 2)
    }

    @Test func observerReceivesItsOwnWriteAfterItsCall() {
        let first = cache.observeAll(Station.self) { [cache, received] commit in
            received.append("begin \(commit.signs)")
            for change in commit.inserted where change.id < 3 {
                cache.set(Station(id: change.id + 1))
            }
            received.append("end \(cache.count(of: Station.self))")
        }
        let second = record("b")
        cache.set(Station(id: 1))
        #expect(
            received.all == [
                "begin +1", "end 2", "b +1", "begin +2", "end 3", "b +2", "begin +3", "end 3",
                "b +3",
            ]
        )
        first.dispose()
        second.dispose()
    }

    @Test func observerMayEndItselfAndOthersInItsCall() {
        let tokens = Locked<[Disposable]>([])
        let first = cache.observeAll(Station.self) { [received] commit in
            received.append("a \(commit.signs)")
            for token in tokens.withLock({ $0 }) { token.dispose() }
        }
        let second = record("b")
        let third = record("c")
        tokens.withLock { $0 = [first, second] }
        cache.set(Station(id: 1))
        cache.touch(1)
        #expect(received.all == ["a +1", "c +1", "c ~1"])
        third.dispose()
    }

    @Test func observersAreReleasedWithTheirTokenOrCache() {
        weak var weakReceipt: Receipt?
        func observe(_ cache: Cache?) -> Disposable? {
            let receipt = Receipt()
            weakReceipt = receipt
            return cache?.observeAll(Station.self) { _ in withExtendedLifetime(receipt) {} }
        }
        var token = observe(cache)
        cache.set(Station(id: 1))
        #expect(weakReceipt != nil)
        token?.dispose()
        #expect(weakReceipt == nil)

        token = observe(cache)
        #expect(weakReceipt != nil)
        token = nil
        #expect(weakReceipt == nil)

        var other: Cache? = Cache()
        token = observe(other)
        #expect(weakReceipt != nil)
        other = nil
        #expect(weakReceipt == nil)
        token?.dispose()
    }

    @Test func typesWithoutObserversAddNoCostToCommits() {
        let table = cache.core.tables.table(of: Station.self)
        let tokens = [record("a"), record("b")]
        cache.set(Station(id: 1))
        tokens[0].dispose()
        #expect(table.isObservedAsAWhole)
        cache.performBatchUpdates { _ in tokens[1].dispose() }
        #expect(!table.isObservedAsAWhole)
    }

    @Test func itsOwnDeliveryMayCallItLater() {
        let scheduler = ManualScheduler()
        let late = cache.observeAll(Station.self, delivery: scheduler.delivery) { [received] in
            received.append("late \($0.signs)")
        }
        let prompt = record("a")
        cache.set(Station(id: 1))
        cache.touch(1)
        #expect(received.all == ["a +1", "a ~1"])
        scheduler.runAll()
        #expect(received.all == ["a +1", "a ~1", "late +1", "late ~1"])
        late.dispose()
        prompt.dispose()
    }

    @Test(
        .timeLimit(.minutes(15)),
        arguments: RandomTestSettings(seeds: 4, hasThreads: true).seeds
    )
    func mirrorOfConcurrentWritesIsExact(seed: Seed) {
        let mirror = Locked<[Station.ID: Station]>([:])
        let versions = Recorder<UInt64>()
        let problems = Recorder<String>()
        let observation = cache.observeAll(Station.self) { commit in
            defer { versions.append(commit.version) }
            mirror.withLock { mirror in
                for change in commit.changes {
                    if mirror[change.id] != change.old || change.old == change.new {
                        problems.append("\(change) does not follow \(mirror[change.id] as Any)")
                    }
                    mirror[change.id] = change.new
                }
                if Set(commit.changes.map(\.id)).count != commit.changes.count {
                    problems.append("\(commit.signs) lists an entity twice")
                }
            }
        }
        let ended = onThreads(3) { [cache] thread in
            var random = SplitMix64(seed: seed, stream: thread)
            for _ in 0..<600 { Self.writeSomething(to: cache, &random) }
        }
        #expect(ended)
        #expect(cache.isSettled())
        // After the delivery of a last commit, all earlier ones have been delivered.
        cache.set(Station(id: 1000, revision: -1))
        #expect(blockUntil { versions.all.last == cache.version })
        #expect(problems.all == [])
        #expect(versions.all == versions.all.sorted())
        let content = cache.values(of: Station.self).map { ($0.id, $0) }
        #expect(mirror.withLock { $0 } == Dictionary(uniqueKeysWithValues: content))
        observation.dispose()
    }

    private static func writeSomething(to cache: Cache, _ random: inout SplitMix64) {
        struct Refusal: Error {}
        func station() -> Station { Station(id: random.below(12), revision: random.below(4)) }
        switch random.below(12) {
        case 0...3: cache.set(station())
        case 4: cache.replace(station())
        case 5: cache.touch(random.below(12))
        case 6, 7: cache.remove(Station.self, id: random.below(12))
        case 8: cache.set(contentsOf: (0..<5).map { _ in station() })
        case 9 where random.oneIn(8): cache.removeAll(Station.self)
        case 10 where random.oneIn(8): cache.pruneUnobservedValues()
        default:
            let fails = random.oneIn(3)
            try? cache.performBatchUpdates { batch in
                for _ in 0..<4 {
                    batch.set(station())
                    batch.remove(Station.self, id: random.below(12))
                    try? cache.performBatchUpdates { inner in
                        inner.set(station())
                        if random.oneIn(2) { throw Refusal() }
                    }
                }
                if fails { throw Refusal() }
            }
        }
    }
}
