import FlatCacheTesting
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of loaders that answer for each identifier.
struct LoaderResultsTests {
    private struct Failure: Error, Equatable {}

    private let clock = ManualClock()
    private let cache: Cache
    private let calls = Recorder<[Book.ID]>()
    private let results = Locked<[Book.ID: Result<Book?, any Error>]>([:])

    init() { cache = Cache(configuration: CacheConfiguration(clock: clock)) }

    private func setLoader(
        gathering pause: Duration = .zero,
        rememberingFailures failureMemory: Duration? = nil
    ) {
        cache.setLoader(
            for: Book.self,
            gathering: pause,
            rememberingFailures: failureMemory
        ) { [calls, results] ids in
            calls.append(ids)
            let answers = results.withLock { $0 }
            return answers
        }
    }

    private func set(_ results: [Book.ID: Result<Book?, any Error>]) {
        self.results.withLock { $0 = results }
    }

    private func book(_ id: Book.ID, _ title: String = "loaded") -> Book {
        Book(id: id, title: title)
    }

    @Test func anErrorFailsTheLoadsOfItsEntityAlone() async throws {
        setLoader()
        set([1: .success(book(1)), 2: .failure(Failure()), 3: .success(nil)])
        cache.set(book(2, "stored"))
        cache.invalidate(Book.self, id: 2)
        await #expect(throws: Failure()) { try await cache.load(Book.self, ids: 1...4) }
        #expect(calls.all == [[1, 2, 3, 4]])
        // The other entities were stored, and the stale one remains.
        let stored = cache.values(of: Book.self).sorted { $0.id < $1.id }
        #expect(stored == [book(1), book(2, "stored")])
        #expect(cache.freshness(of: Book.self, id: 2).isStale)
        #expect(try await cache.load(Book.self, id: 1) == book(1))
        set([:])
        #expect(try await cache.load(Book.self, ids: [1, 3, 4]) == [1: book(1)])
    }

    @Test func failuresAreRememberedForEachEntity() async throws {
        setLoader(rememberingFailures: .seconds(10))
        set([1: .success(book(1)), 2: .failure(Failure()), 3: .success(nil)])
        await #expect(throws: Failure()) { try await cache.load(Book.self, ids: 1...3) }
        await #expect(throws: Failure()) { try await cache.load(Book.self, id: 2) }
        #expect(try await cache.load(Book.self, id: 3) == nil)
        #expect(calls.count == 1)
        clock.advance(by: .seconds(10))
        set([2: .success(book(2))])
        #expect(try await cache.load(Book.self, ids: [2, 3]) == [2: book(2)])
        #expect(calls.all == [[1, 2, 3], [2, 3]])
    }

    @Test func aHandleRepeatsItsOwnFailureAlone() async throws {
        setLoader(gathering: .seconds(1))
        set([1: .failure(Failure())])
        let first = cache.cached(Book.self, id: 1).loading()
        let second = cache.cached(Book.self, id: 2).loading()
        let tokens = [first, second].map { $0.observe { _ in } }
        #expect(await until { clock.sleeperCount == 1 })
        clock.advance(by: .seconds(1))
        #expect(await until { first.loadState.error is Failure && !second.loadState.isLoading })
        #expect(second.loadState.error == nil)
        #expect(await until { clock.sleeperCount == 1 })
        set([1: .success(book(1))])
        clock.advance(by: .seconds(2))
        #expect(await until { clock.sleeperCount == 1 })
        clock.advance(by: .seconds(1))
        #expect(await until { first.value == book(1) })
        #expect(calls.all.map { $0.sorted() } == [[1, 2], [1]])
        for token in tokens { token.dispose() }
    }

    @Test func aResultUnderAnotherIdentifierIsUnexpected() async throws {
        setLoader()
        let requested = [CacheKey(Book.self, id: 1)]
        func error(_ id: Book.ID) -> LoadError {
            .unexpectedEntity(CacheKey(Book.self, id: id), requested: requested)
        }
        set([1: .success(book(2))])
        await #expect(throws: error(2)) { try await cache.load(Book.self, id: 1) }
        set([1: .success(book(1)), 2: .failure(Failure())])
        await #expect(throws: error(2)) { try await cache.load(Book.self, id: 1) }
        #expect(cache.version == 0)
    }
}
