import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct WithdrawalRecorderTests {
    /// A recorder that describes each withdrawal.
    private final class WithdrawalLog: WithdrawalRecorder {
        let lines = Recorder<String>()

        func record(_ withdrawal: Withdrawal) {
            let kind = withdrawal.isRemoval ? "remove" : "invalidate"
            switch withdrawal.scope {
            case .entity(let key): lines.append("\(kind) \(key)")
            case .type(let type): lines.append("\(kind) \(type)")
            case .requests(let prefix): lines.append("\(kind) requests \(prefix)")
            case .all: lines.append("\(kind) all")
            }
        }
    }

    let cache = Cache()
    private let log = WithdrawalLog()

    @Test func withdrawalsOfMissingEntitiesAreRecorded() {
        let token = cache.add(log)
        cache.remove(Item.self, id: 1)
        cache.invalidate(Item.self, id: 2)
        cache.removeAll(Item.self)
        cache.invalidate(ItemGroup.self)
        cache.invalidate(request: "books")
        cache.invalidate(requestsWithPrefix: "books?")
        cache.removeAll()
        #expect(
            log.lines.all == [
                "remove Item(1)", "invalidate Item(2)", "remove Item", "invalidate ItemGroup",
                "invalidate RequestState(\"books\")", "invalidate requests books?", "remove all",
            ]
        )
        #expect(cache.version == 0)
        token.dispose()
        cache.removeAll()
        #expect(log.lines.count == 7)
        #expect(!cache.core.writer.reportsWithdrawals)
    }

    @Test func rolledBackWithdrawalsAreNotRecorded() {
        let token = cache.add(log)
        cache.performBatchUpdates { batch in
            batch.remove(Item.self, id: 1)
            try? cache.performBatchUpdates { inner in
                inner.removeAll(Item.self)
                inner.invalidate(Item.self, id: 3)
                throw CancellationError()
            }
        }
        #expect(log.lines.all == ["remove Item(1)"])
        withExtendedLifetime(token) {}
    }

    @Test func evictionsAndPruningsAreNoWithdrawals() {
        var configuration = CacheConfiguration()
        configuration.limit(Item.self, .count(1))
        let cache = Cache(configuration: configuration)
        let token = cache.add(log)
        cache.set(contentsOf: (0..<4).map { Item(id: $0) })
        cache.pruneUnobservedValues()
        #expect(cache.count(of: Item.self) == 0)
        #expect(log.lines.count == 0)
        withExtendedLifetime(token) {}
    }

    @Test func invalidationOfChosenEntitiesIsRecordedForEach() {
        let token = cache.add(log)
        cache.set(contentsOf: (0..<3).map { Item(id: $0) })
        cache.invalidate(Item.self) { $0.id == 1 }
        #expect(log.lines.all == ["invalidate Item(1)"])
        withExtendedLifetime(token) {}
    }

    @Test func recorderOfWithdrawalsThatWritesTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            final class Writing: WithdrawalRecorder {
                let cache = Cache()
                func record(_ withdrawal: Withdrawal) { cache.set(Item(id: 2)) }
            }
            let recorder = Writing()
            let token = recorder.cache.add(recorder)
            recorder.cache.remove(Item.self, id: 1)
            withExtendedLifetime(token) {}
        }
        let message = try #require(result?.message)
        #expect(message.contains("set(_:) was called from record(_:)"))
    }
}
