import Foundation
import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CommitRewriterTests {
    let cache = Cache()

    @Test func rewriterAddsToTheCommit() {
        let token = PriceLimit.register(in: cache)
        let seen = Recorder<EntityChange<Item>>()
        let observation = cache.cached(Item.self, id: 1).observeChanges { seen.append($0) }
        cache.set(Item(id: 1, price: 300))
        #expect(cache.get(Item.self, id: 1)?.price == 100)
        #expect(seen.all.map(\.new?.price) == [100])
        #expect(cache.version == 1)
        withExtendedLifetime((token, observation)) {}
    }

    @Test func writeThatARewriterUndoesIsNoCommit() {
        let token = PriceLimit.register(in: cache)
        cache.set(Item(id: 1, price: 100))
        let version = cache.version
        let calls = Recorder<Item?>()
        let observation = cache.cached(Item.self, id: 1).observe { calls.append($0) }
        cache.set(Item(id: 1, price: 500))
        #expect(cache.version == version)
        #expect(calls.count == 0)
        withExtendedLifetime((token, observation)) {}
    }

    @Test func exchangeInPlacePassesNoRewriterUnlessAHookRefusesIt() {
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

    @Test func batchThatThrowsKeepsNothingOfARewriter() {
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

    @Test func rewriterThatRenewsAStaleValueMakesOneChange() {
        final class Renewal: CommitRewriter {
            func rewrite(_ commit: inout Commit) {
                for change in commit.changes(of: Item.self) where change.kind == .becameStale {
                    commit.set(Item(id: change.id, price: 7))
                }
            }
        }
        let clock = SleeplessClock()
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Item.self, .unlimited, expires: .afterWrite(.seconds(1)))
        let cache = Cache(configuration: configuration)
        let token = cache.add(Renewal())
        cache.set(Item(id: 1))
        let observation = cache.cached(Item.self, id: 1).observe { _ in }
        let changes = Recorder<TypeChanges<Item>>()
        let all = cache.observeAll(Item.self) { changes.append($0) }
        clock.advance(by: .seconds(2))
        cache.expireValues()
        #expect(changes.all.map { $0.changes.map(\.kind) } == [[.updated]])
        cache.core.checkInvariants()
        withExtendedLifetime((token, observation, all)) {}
    }

    @Test func rewriterThatRegistersDuringABatchTakesPartInIt() {
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

    @Test func rewriterThatWritesToTheCacheTraps() async throws {
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
}
