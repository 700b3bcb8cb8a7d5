import Foundation
import TestSupport
import Testing

@testable import FlatCache

struct CommitParticipantTests {
    let cache = Cache()

    // MARK: Rewriters

    @Test func aRewriterAddsToTheCommit() {
        let tokens = PriceLimit.register(in: cache)
        let seen = Recorder<EntityChange<Item>>()
        let token = cache.observeChanges(Item.self, id: 1) { seen.append($0) }
        cache.set(Item(id: 1, price: 300))
        #expect(cache.get(Item.self, id: 1)?.price == 100)
        #expect(seen.all.map(\.new?.price) == [100])
        #expect(cache.version == 1)
        withExtendedLifetime((tokens, token)) {}
    }

    @Test func aWriteThatARewriterUndoesIsNoCommit() {
        let tokens = PriceLimit.register(in: cache)
        cache.set(Item(id: 1, price: 100))
        let version = cache.version
        let calls = Recorder<Item?>()
        let token = cache.observe(Item.self, id: 1) { calls.append($0) }
        cache.set(Item(id: 1, price: 500))
        #expect(cache.version == version)
        #expect(calls.count == 0)
        withExtendedLifetime((tokens, token)) {}
    }

    @Test func anExchangeInPlacePassesNoRewriterUnlessAHookRefusesIt() {
        let tokens = PriceLimit.register(in: cache)
        cache.set(Item(id: 1, price: 1))
        cache.set(Item(id: 1, price: 2))
        #expect(cache.get(Item.self, id: 1)?.price == 2)
        cache.set(Item(id: 1, price: 200))
        #expect(cache.get(Item.self, id: 1)?.price == 100)
        cache.update(Item.self, id: 1) { $0.price = 50 }
        #expect(cache.get(Item.self, id: 1)?.price == 50)
        cache.update(Item.self, id: 1) { $0.price = 150 }
        #expect(cache.get(Item.self, id: 1)?.price == 100)
        for token in tokens { token.dispose() }
        cache.set(Item(id: 1, price: 200))
        #expect(cache.get(Item.self, id: 1)?.price == 200)
        cache.core.checkInvariants()
    }

    @Test func aBatchThatThrowsKeepsNothingOfARewriter() {
        let tokens = PriceLimit.register(in: cache)
        #expect(throws: CancellationError.self) {
            try cache.performBatchUpdates { batch in
                batch.set(Item(id: 1, price: 200))
                throw CancellationError()
            }
        }
        #expect(cache.count(of: Item.self) == 0)
        withExtendedLifetime(tokens) {}
    }

    @Test func aRewriterThatRenewsAStaleValueMakesOneChange() {
        final class Renewal: CommitRewriter {
            func rewrite(_ commit: inout Commit) {
                for change in commit.changes(of: Item.self) where change.kind == .expired {
                    commit.set(Item(id: change.id, price: 7))
                }
            }
        }
        let clock = ManualClock()
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Item.self, .forever, expires: .afterWrite(.seconds(1)))
        let cache = Cache(configuration: configuration)
        let token = cache.add(Renewal())
        cache.set(Item(id: 1))
        let observation = cache.observe(Item.self, id: 1) { _ in }
        let changes = Recorder<TypeChanges<Item>>()
        let all = cache.observeAll(Item.self) { changes.append($0) }
        clock.advance(by: .seconds(2))
        cache.expireValues()
        #expect(changes.all.map { $0.changes.map(\.kind) } == [[.updated]])
        cache.core.checkInvariants()
        withExtendedLifetime((token, observation, all)) {}
    }

    @Test func aRewriterThatRegistersDuringABatchTakesPartInIt() {
        let (entered, registered) = (Signal(), Signal())
        let tokens = Recorder<Disposable>()
        Thread.detachNewThread { [cache] in
            _ = entered.wait()
            for token in PriceLimit.register(in: cache) { tokens.append(token) }
            registered.fire()
        }
        cache.performBatchUpdates { batch in
            entered.fire()
            _ = registered.wait()
            batch.set(Item(id: 1, price: 500))
        }
        #expect(cache.get(Item.self, id: 1)?.price == 100)
    }

    // MARK: Derivers

    @Test func derivedEntitiesChangeInTheSameCommit() {
        let tokens = ItemGroups.register(in: cache)
        let seen = Recorder<EntityChange<ItemGroup>>()
        let token = cache.observeChanges(ItemGroup.self, id: 7) { seen.append($0) }
        cache.set(contentsOf: [Item(id: 1, group: 7), Item(id: 2, group: 7), Item(id: 3)])
        #expect(seen.all.map(\.new?.members) == [[1, 2]])
        #expect(seen.all.map(\.version) == [1])
        #expect(cache.version == 1)
        cache.remove(Item.self, id: 1)
        #expect(seen.all.last?.new?.members == [2])
        cache.set(Item(id: 2, group: 8))
        #expect(seen.all.last?.new == nil)
        #expect(cache.get(ItemGroup.self, id: 8)?.members == [2])
        cache.core.checkInvariants()
        withExtendedLifetime((tokens, token)) {}
    }

    @Test func aDeriverSeesEvictions() {
        var configuration = CacheConfiguration()
        configuration.limit(Item.self, .count(3))
        let cache = Cache(configuration: configuration)
        let tokens = ItemGroups.register(in: cache)
        for id in 0..<20 { cache.set(Item(id: id, group: 1)) }
        let stored = Set(cache.ids(of: Item.self))
        #expect(stored.count <= 3)
        #expect(cache.get(ItemGroup.self, id: 1)?.members == stored)
        withExtendedLifetime(tokens) {}
    }

    @Test func derivedEntitiesAreLeftToTheirDeriver() {
        let tokens = ItemGroups.register(in: cache)
        cache.set(contentsOf: (0..<4).map { Item(id: $0, group: $0 % 2) })
        #expect(cache.trim(to: .count(1)) == 3)
        #expect(cache.count(of: ItemGroup.self) == 1)
        #expect(cache.removeAll() == 1)
        #expect(cache.count(of: ItemGroup.self) == 0)
        cache.set(Item(id: 1, group: 5))
        let observation = cache.observe(Item.self, id: 1) { _ in }
        #expect(cache.pruneUnobservedValues() == 0)
        #expect(cache.get(ItemGroup.self, id: 5)?.members == [1])
        observation.dispose()
        #expect(cache.pruneUnobservedValues() == 1)
        #expect(cache.count(of: ItemGroup.self) == 0)
        withExtendedLifetime(tokens) {}
    }

    @Test func aDeriverThatWritesAnEntityOfTheUserTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            final class ForeignWriter: CommitDeriver {
                func derive(_ commit: inout Commit) { commit.set(Item(id: 2)) }
            }
            let cache = Cache()
            let token = cache.add(ForeignWriter())
            cache.set(Item(id: 1))
            withExtendedLifetime(token) {}
        }
        let message = try #require(result?.message)
        #expect(message.contains("A deriver can write only types that nothing else writes"))
    }

    // MARK: Recorders

    @Test func aRecorderReceivesOldAndNewValuesAndTheOrigin() {
        let log = ItemLog()
        let tokens = log.register(in: cache)
        cache.set(Item(id: 1))
        cache.set(Item(id: 1, price: 5))
        cache.performBatchUpdates { batch in
            batch.remove(Item.self, id: 1)
            batch.set(Item(id: 2))
        }
        cache.set(Item(id: 2))
        cache.set(ItemGroup(id: 1))
        let one = Item(id: 1)
        let changed = Item(id: 1, price: 5)
        #expect(
            log.lines.all == [
                .init(version: 1, origin: "set(_:)", changes: [1: [nil, one]]),
                .init(version: 2, origin: "set(_:)", changes: [1: [one, changed]]),
                .init(
                    version: 3,
                    origin: "performBatchUpdates(_:)",
                    changes: [1: [changed, nil], 2: [nil, Item(id: 2)]]
                ),
            ]
        )
        #expect(log.delivered.all == [1, 2, 3])
        for token in tokens { token.dispose() }
        cache.set(Item(id: 3))
        #expect(log.lines.count == 3)
    }

    @Test func aRecorderThatWritesTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            final class Writing: CommitRecorder {
                func record(_ commit: inout Commit) { commit.set(ItemGroup(id: 2)) }
            }
            let cache = Cache()
            let token = cache.add(Writing())
            cache.set(Item(id: 1))
            withExtendedLifetime(token) {}
        }
        let message = try #require(result?.message)
        #expect(message.contains("A recorder can't write"))
    }

    // MARK: Lifetime

    @Test func aParticipantEndsWithItsTokenOrWithTheCache() {
        weak var first: ItemLog?
        weak var second: ItemLog?
        var cache: Cache? = Cache()
        var tokens: [Disposable] = []
        do {
            let logs = (ItemLog(), ItemLog())
            (first, second) = logs
            let ending = cache.map(logs.0.register) ?? []
            tokens = cache.map(logs.1.register) ?? []
            for token in ending { token.dispose() }
        }
        #expect(first == nil)
        #expect(second != nil)
        cache = nil
        #expect(second == nil)
        withExtendedLifetime(tokens) {}
    }

    @Test func theRecorderOfTypesStaysAsLongAsItsLastObserver() {
        let tokens = [
            cache.observeAll(Item.self) { _ in }, cache.observeAll(ItemGroup.self) { _ in },
        ]
        tokens[0].dispose()
        #expect(!cache.core.writer.participants.recorders.isEmpty)
        tokens[1].dispose()
        #expect(cache.core.writer.participants.recorders.isEmpty)
    }

    @Test func aParticipantThatWritesToTheCacheTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            final class Writing: CommitRecorder {
                let cache = Cache()
                func record(_ commit: inout Commit) { cache.set(ItemGroup(id: 2)) }
            }
            let recorder = Writing()
            let token = recorder.cache.add(recorder)
            recorder.cache.set(Item(id: 1))
            withExtendedLifetime(token) {}
        }
        let message = try #require(result?.message)
        #expect(message.contains("set(_:) was called from record(_:)"))
    }

    @Test func aParticipantIsReleasedUnderNoLock() {
        final class WritingAtItsEnd: CommitRecorder {
            let cache: Cache
            init(_ cache: Cache) { self.cache = cache }
            func record(_ commit: inout Commit) {}
            deinit { cache.set(Item(id: 9)) }
        }
        let token = cache.add(WritingAtItsEnd(cache))
        token.dispose()
        #expect(cache.get(Item.self, id: 9) != nil)
    }

    // MARK: All

    @Test("After random writes, rewritten, derived and recorded values agree with a naive model")
    func randomWrites() {
        let settings = RandomTestSettings(seeds: 100, steps: 60)
        settings.forEachSeed { seed in
            var run = ParticipantRun(seed: seed)
            return run.problem(steps: settings.steps).map {
                FailureReport(seed: seed, step: nil, problem: $0)
            }
        }
    }
}
