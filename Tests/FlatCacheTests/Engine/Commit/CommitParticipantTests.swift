import Foundation
import TestSupport
import Testing

@testable import FlatCache

struct CommitParticipantTests {
    let cache = Cache()

    // MARK: Rewriters

    @Test func aRewriterAddsToTheCommit() {
        let token = PriceLimit.register(in: cache)
        let seen = Recorder<EntityChange<Item>>()
        let observation = cache.observeChanges(Item.self, id: 1) { seen.append($0) }
        cache.set(Item(id: 1, price: 300))
        #expect(cache.get(Item.self, id: 1)?.price == 100)
        #expect(seen.all.map(\.new?.price) == [100])
        #expect(cache.version == 1)
        withExtendedLifetime((token, observation)) {}
    }

    @Test func aWriteThatARewriterUndoesIsNoCommit() {
        let token = PriceLimit.register(in: cache)
        cache.set(Item(id: 1, price: 100))
        let version = cache.version
        let calls = Recorder<Item?>()
        let observation = cache.observe(Item.self, id: 1) { calls.append($0) }
        cache.set(Item(id: 1, price: 500))
        #expect(cache.version == version)
        #expect(calls.count == 0)
        withExtendedLifetime((token, observation)) {}
    }

    @Test func anExchangeInPlacePassesNoRewriterUnlessAHookRefusesIt() {
        let token = PriceLimit.register(in: cache)
        cache.set(Item(id: 1, price: 1))
        cache.set(Item(id: 1, price: 2))
        #expect(cache.get(Item.self, id: 1)?.price == 2)
        cache.set(Item(id: 1, price: 200))
        #expect(cache.get(Item.self, id: 1)?.price == 100)
        cache.update(Item.self, id: 1) { $0.price = 50 }
        #expect(cache.get(Item.self, id: 1)?.price == 50)
        cache.update(Item.self, id: 1) { $0.price = 150 }
        #expect(cache.get(Item.self, id: 1)?.price == 100)
        token.dispose()
        cache.set(Item(id: 1, price: 200))
        #expect(cache.get(Item.self, id: 1)?.price == 200)
        cache.core.checkInvariants()
    }

    @Test func aBatchThatThrowsKeepsNothingOfARewriter() {
        let token = PriceLimit.register(in: cache)
        #expect(throws: CancellationError.self) {
            try cache.performBatchUpdates { batch in
                batch.set(Item(id: 1, price: 200))
                throw CancellationError()
            }
        }
        #expect(cache.count(of: Item.self) == 0)
        withExtendedLifetime(token) {}
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
            tokens.append(PriceLimit.register(in: cache))
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
        let token = ItemGroups.register(in: cache)
        let seen = Recorder<EntityChange<ItemGroup>>()
        let observation = cache.observeChanges(ItemGroup.self, id: 7) { seen.append($0) }
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
        withExtendedLifetime((token, observation)) {}
    }

    @Test func aDeriverSeesEvictions() {
        var configuration = CacheConfiguration()
        configuration.limit(Item.self, .count(3))
        let cache = Cache(configuration: configuration)
        let token = ItemGroups.register(in: cache)
        for id in 0..<20 { cache.set(Item(id: id, group: 1)) }
        let stored = Set(cache.ids(of: Item.self))
        #expect(stored.count <= 3)
        #expect(cache.get(ItemGroup.self, id: 1)?.members == stored)
        withExtendedLifetime(token) {}
    }

    @Test func derivedEntitiesAreLeftToTheirDeriver() {
        let token = ItemGroups.register(in: cache)
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
        withExtendedLifetime(token) {}
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
        let token = log.register(in: cache)
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
        token.dispose()
        cache.set(Item(id: 3))
        #expect(log.lines.count == 3)
    }

    @Test func aRecorderThatRegistersDuringAnExchangeReceivesTheOriginOfTheExchange() {
        let log = ItemLog()
        let tokens = Recorder<Disposable>()
        // The hook is called after the write has found that it can exchange the value in place.
        let hook = ExchangeHook(of: Item.self) { [cache] _, new in
            guard new.price == 2 else { return true }
            let registered = Signal()
            Thread.detachNewThread {
                tokens.append(cache.add(log))
                registered.fire()
            }
            return registered.wait()
        }
        tokens.append(cache.add(ItemLog(), exchangeHooks: [hook]))
        cache.set(Item(id: 1, price: 1))
        cache.replace(Item(id: 1, price: 2))
        #expect(log.lines.all.map(\.origin) == ["replace(_:)"])
        #expect(log.lines.all.map(\.version) == [2])
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
        var token: Disposable?
        do {
            let logs = (ItemLog(), ItemLog())
            (first, second) = logs
            let ending = cache.map(logs.0.register)
            token = cache.map(logs.1.register)
            ending?.dispose()
        }
        #expect(first == nil)
        #expect(second != nil)
        cache = nil
        #expect(second == nil)
        withExtendedLifetime(token) {}
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

    @Test func aRewriterThatWritesToTheCacheTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            final class Writing: CommitRewriter {
                let cache = Cache()
                func rewrite(_ commit: inout Commit) { cache.set(ItemGroup(id: 2)) }
            }
            let rewriter = Writing()
            let token = rewriter.cache.add(rewriter)
            rewriter.cache.set(Item(id: 1))
            withExtendedLifetime(token) {}
        }
        let message = try #require(result?.message)
        #expect(message.contains("set(_:) was called from rewrite(_:)"))
    }

    @Test func aDeriverThatWritesToTheCacheTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            final class Writing: CommitDeriver {
                let cache = Cache()
                func derive(_ commit: inout Commit) { cache.set(ItemGroup(id: 2)) }
            }
            let deriver = Writing()
            let token = deriver.cache.add(deriver)
            deriver.cache.set(Item(id: 1))
            withExtendedLifetime(token) {}
        }
        let message = try #require(result?.message)
        #expect(message.contains("set(_:) was called from derive(_:)"))
    }

    @Test func aParticipantAndItsHookAreReleasedUnderNoLock() {
        final class WritingAtItsEnd: CommitRecorder {
            let cache: Cache
            let id: Int
            init(_ cache: Cache, id: Int) {
                self.cache = cache
                self.id = id
            }
            func record(_ commit: inout Commit) {}
            deinit { cache.set(Item(id: id)) }
        }
        func hook() -> ExchangeHook {
            let captured = WritingAtItsEnd(cache, id: 8)
            return ExchangeHook(of: Item.self) { _, _ in captured.id == 8 }
        }
        let token = cache.add(WritingAtItsEnd(cache, id: 9), exchangeHooks: [hook()])
        token.dispose()
        #expect(Set(cache.ids(of: Item.self)) == [8, 9])
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
