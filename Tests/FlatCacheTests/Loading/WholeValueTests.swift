import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests that the values of a loader's type are loaded when their latest whole value is stale,
/// while partial values renew them.
@Suite(.timeLimit(.minutes(15)))
struct WholeValueTests {
    struct Issue: CacheEntity, Equatable, Mergeable {
        let id: Int
        var title: String?
        var body: String?
        var reload: ManualClock.Instant?

        init(_ title: String?, body: String? = nil, reload: ManualClock.Instant? = nil) {
            id = 1
            self.title = title
            self.body = body
            self.reload = reload
        }

        func merged(with other: Issue) -> Issue {
            var merged = self
            merged.title = other.title ?? title
            merged.body = other.body ?? body
            merged.reload = other.reload ?? reload
            return merged
        }
    }

    /// The time of a row in relation to each request of the whole value.
    enum RowTime: CaseIterable { case before, during, after, always, never }

    /// A server of whole values that counts its requests.
    final class Server: Sendable {
        private let count = Locked(0)
        private let prepare = Locked<@Sendable () -> Void>({})

        var requestCount: Int { count.withLock { $0 } }

        /// Makes a closure run between each request and its answer.
        func onRequest(_ body: @escaping @Sendable () -> Void) { prepare.withLock { $0 = body } }

        func answer() -> Issue {
            let number = count.withLock { count in
                count += 1
                return count
            }
            prepare.withLock { $0 }()
            return Issue("detail \(number)", body: "body \(number)")
        }
    }

    private struct Failure: Error {}

    private let clock = SleeplessClock()
    private let cache: Cache
    private let server = Server()

    init() {
        cache = Cache(configuration: CacheConfiguration(clock: clock))
        cache.limit(Issue.self, staleAfter: .seconds(60))
        setLoader(in: cache)
    }

    private func setLoader(in cache: Cache) {
        cache.setLoader(for: Issue.self, gathering: .zero, requiring: { $0.body != nil }) {
            [server] _ in [server.answer()]
        }
    }

    private func load() async throws -> Issue? { try await cache.load(Issue.self, id: 1) }

    private var isFresh: Bool { cache.freshness(of: Issue.self, id: 1).isFresh }

    private func advance(by seconds: Int) {
        clock.advance(by: .seconds(seconds))
        cache.expireValues()
    }

    // MARK: Ten minutes of a list and a detail page

    @Test(arguments: RowTime.allCases, [false, true])
    func rowsDoNotPostponeTheLoadsOfTheWholeValue(rows: RowTime, isObserved: Bool) async throws {
        let handle = cache.cached(Issue.self, id: 1).loading()
        if rows == .during || rows == .always {
            server.onRequest { [cache] in cache.set(Issue("row")) }
        }
        var token: Disposable?
        var listCount = 0
        for second in 0...600 {
            if second > 0 { advance(by: 1) }
            if second % 50 == 0 {
                listCount += 1
                cache.set(Issue("list \(listCount)"))
            }
            if second % 60 == 0, rows == .before || rows == .always { cache.set(Issue("row")) }
            if isObserved {
                if token == nil { token = handle.observe { _ in } }
                #expect(cache.isSettled())
                #expect(await until { !handle.loadState.isLoading })
            } else {
                _ = try await load()
            }
            if second % 60 == 0, rows == .after || rows == .always { cache.set(Issue("row")) }
            #expect(cache.get(Issue.self, id: 1)?.body == "body \(second / 60 + 1)")
        }
        #expect(listCount == 13)
        #expect(server.requestCount == 11)
        token?.dispose()
    }

    @Test func failedLoadIsRepeatedAlthoughARowArrives() async throws {
        let isDown = Locked(false)
        cache.setLoader(for: Issue.self, gathering: .zero, requiring: { $0.body != nil }) {
            [server] _ in
            if isDown.withLock({ $0 }) { throw Failure() }
            return [server.answer()]
        }
        let handle = cache.cached(Issue.self, id: 1).loading()
        let token = handle.observe { _ in }
        #expect(await until { server.requestCount == 1 && !handle.loadState.isLoading })
        advance(by: 50)
        cache.set(Issue("list"))
        isDown.withLock { $0 = true }
        advance(by: 10)
        #expect(await until { handle.loadState.error != nil })
        cache.set(Issue("row"))
        #expect(cache.isSettled())
        #expect(handle.loadState.error != nil)
        token.dispose()
    }

    // MARK: Late answers

    @Test func answerIsMergedBeneathTheRowsSinceItsRequest() async throws {
        cache.set(Issue("old", body: "old"))
        advance(by: 60)
        server.onRequest { [cache] in
            cache.set(Issue("row"))
            cache.set(Issue(nil))
        }
        #expect(try await load() == Issue("row", body: "body 1"))
        #expect(cache.get(Issue.self, id: 1) == Issue("row", body: "body 1"))
        advance(by: 59)
        cache.set(Issue("row"))
        _ = try await load()
        #expect(server.requestCount == 1)
        advance(by: 1)
        _ = try await load()
        #expect(server.requestCount == 2)
    }

    @Test func updateSinceTheRequestCountsWithItsWholeResult() async throws {
        cache.set(Issue("old", body: "old"))
        advance(by: 60)
        server.onRequest { [cache] in
            cache.update(Issue.self, id: 1) { $0.title = "edited" }
        }
        #expect(try await load() == Issue("edited", body: "old"))
        // The result of the update was whole.
        _ = try await load()
        #expect(server.requestCount == 1)
    }

    @Test func answerBeforeAnInvalidationDoesNotCount() async throws {
        cache.set(Issue("old", body: "old"))
        advance(by: 60)
        server.onRequest { [cache] in
            cache.invalidate(Issue.self, id: 1)
            cache.set(Issue("row"))
        }
        _ = try await load()
        #expect(isFresh)
        server.onRequest {}
        #expect(try await load() == Issue("detail 2", body: "body 2"))
    }

    // MARK: Other writes

    @Test func onlyLoadsByTheLoaderCountFromTheWholeValue() async throws {
        cache.set(Issue("old", body: "old"))
        advance(by: 50)
        cache.set(Issue("row"))
        advance(by: 10)
        #expect(isFresh)
        let own = try await cache.load(Issue.self, id: 1, requiring: { $0.body != nil }) { nil }
        #expect(own == Issue("row", body: "old"))
        #expect(try await cache.load(Issue.self, id: 1, policy: .cacheOnly) == own)
        #expect(server.requestCount == 0)
        #expect(try await load() == Issue("detail 1", body: "body 1"))
    }

    @Test func rowDoesNotEndAnInvalidationForLoads() async throws {
        cache.set(Issue("old", body: "old"))
        cache.invalidate(Issue.self)
        cache.set(Issue("row"))
        #expect(isFresh)
        _ = try await load()
        #expect(server.requestCount == 1)
        cache.performBatchUpdates { batch in
            batch.invalidate(Issue.self, id: 1)
            batch.set(Issue("row"))
        }
        #expect(isFresh)
        _ = try await load()
        #expect(server.requestCount == 2)
        cache.performBatchUpdates { batch in
            batch.invalidate(Issue.self)
            batch.set(Issue("row"))
        }
        _ = try await load()
        #expect(server.requestCount == 3)
    }

    @Test func invalidationConcernsTypesWithoutLifetimes() async throws {
        let cache = Cache()
        setLoader(in: cache)
        cache.set(Issue("old", body: "old"))
        cache.set(Issue("row"))
        _ = try await cache.load(Issue.self, id: 1)
        #expect(server.requestCount == 0)
        cache.invalidate(Issue.self, id: 1)
        cache.set(Issue("row"))
        _ = try await cache.load(Issue.self, id: 1)
        #expect(server.requestCount == 1)
    }

    @Test func rolledBackWholeValueDoesNotCount() async throws {
        cache.set(Issue("old", body: "old"))
        advance(by: 60)
        cache.performBatchUpdates { batch in
            batch.set(Issue("row"))
            try? cache.performBatchUpdates { inner in
                inner.set(Issue("new", body: "new"))
                throw Failure()
            }
        }
        #expect(isFresh)
        #expect(try await load() == Issue("detail 1", body: "body 1"))
        advance(by: 60)
        cache.performBatchUpdates { batch in
            cache.performBatchUpdates { $0.set(Issue("new", body: "new")) }
            batch.set(Issue("row"))
        }
        _ = try await load()
        #expect(server.requestCount == 1)
    }

    @Test func partialValuesThatAreOnlyWholeTogetherAreLoaded() async throws {
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        cache.limit(Issue.self, staleAfter: .seconds(60))
        cache.setLoader(
            for: Issue.self,
            gathering: .zero,
            requiring: { $0.body != nil && $0.title != nil },
            { [server] _ in [server.answer()] }
        )
        cache.set(Issue("row"))
        cache.set(Issue(nil, body: "body"))
        _ = try await cache.load(Issue.self, id: 1)
        #expect(server.requestCount == 1)
    }

    @Test func removedWholeValueDoesNotCount() async throws {
        cache.set(Issue("old", body: "old"))
        cache.set(Issue("row"))
        cache.performBatchUpdates { batch in
            batch.remove(Issue.self, id: 1)
            batch.set(Issue("row", body: "whole again"))
        }
        advance(by: 50)
        cache.set(Issue("row"))
        _ = try await load()
        #expect(server.requestCount == 0)
        cache.removeAll()
        #expect(cache.core.tables.table(of: Issue.self).wholeValues.withLock(\.times).isEmpty)
    }

    // MARK: Configuration

    @Test func storedValuesCountWhenTheLoaderIsSet() async throws {
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        cache.limit(Issue.self, staleAfter: .seconds(60))
        cache.set(Issue("old", body: "old"))
        advance(by: 50)
        setLoader(in: cache)
        cache.set(Issue("row"))
        advance(by: 9)
        _ = try await cache.load(Issue.self, id: 1)
        #expect(server.requestCount == 0)
        advance(by: 1)
        _ = try await cache.load(Issue.self, id: 1)
        #expect(server.requestCount == 1)
    }

    @Test func loaderWithoutARequirementCountsEachWrite() async throws {
        cache.set(Issue("old", body: "old"))
        cache.set(Issue("row"))
        cache.setLoader(for: Issue.self, gathering: .zero) { [server] _ in [server.answer()] }
        advance(by: 50)
        cache.set(Issue("row"))
        advance(by: 30)
        _ = try await load()
        #expect(server.requestCount == 0)
        #expect(!cache.core.tables.table(of: Issue.self).tracksWholeValues)
    }

    @Test func newLifetimesCountFromTheWholeValue() async throws {
        cache.set(Issue("old", body: "old"))
        advance(by: 50)
        cache.set(Issue("row"))
        cache.limit(Issue.self, staleAfter: .seconds(100))
        let handle = cache.cached(Issue.self, id: 1).loading()
        let token = handle.observe { _ in }
        advance(by: 49)
        #expect(server.requestCount == 0)
        advance(by: 1)
        #expect(await until { server.requestCount == 1 && !handle.loadState.isLoading })
        token.dispose()
    }

    @Test func ownTimeOfTheWholeValueDecides() async throws {
        cache.limit(Issue.self, staleAfter: .at(\.reload))
        let now = clock.now
        cache.set(Issue("old", body: "old", reload: now.advanced(by: .seconds(60))))
        advance(by: 50)
        cache.set(Issue("row", reload: now.advanced(by: .seconds(110))))
        _ = try await load()
        #expect(server.requestCount == 0)
        advance(by: 10)
        #expect(isFresh)
        _ = try await load()
        #expect(server.requestCount == 1)
    }
}
