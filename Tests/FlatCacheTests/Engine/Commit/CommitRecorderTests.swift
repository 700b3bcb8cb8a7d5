import Foundation
import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CommitRecorderTests {
    let cache = Cache()

    @Test func recorderReceivesOldAndNewValuesAndTheOrigin() {
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

    @Test func recorderThatRegistersDuringAnExchangeReceivesTheOriginOfTheExchange() {
        let log = ItemLog()
        let tokens = Recorder<Disposable>()
        // The hook is called after the write has found that it can exchange the value in place.
        let token = cache.add(ItemLog()) { [cache] _, new in
            guard new.price == 2 else { return true }
            let registered = Signal()
            Thread.detachNewThread {
                tokens.append(cache.add(log))
                registered.fire()
            }
            return registered.wait()
        }
        cache.set(Item(id: 1, price: 1))
        cache.replace(Item(id: 1, price: 2))
        #expect(log.lines.all.map(\.origin) == ["replace(_:)"])
        #expect(log.lines.all.map(\.version) == [2])
        withExtendedLifetime(token) {}
    }

    @Test func recorderThatWritesTraps() async throws {
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

    @Test func recorderThatWritesToTheCacheTraps() async throws {
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
}
