import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.timeLimit(.minutes(20)))
struct LoaderTests {
    private struct Failure: Error, Equatable {}

    private let clock = ManualClock()
    private let cache: Cache
    private let calls = Recorder<[Book.ID]>()
    private let server = HeldServer<[Book.ID], [Book]>()

    init() { cache = Cache(configuration: CacheConfiguration(clock: clock)) }

    private func book(_ id: Book.ID) -> Book { Book(id: id, title: "loaded") }

    /// Sets a loader that answers at once.
    private func setLoader(gathering pause: Duration = .seconds(1), atMost maximum: Int = 100) {
        cache.setLoader(for: Book.self, gathering: pause, atMost: maximum) { [calls] ids in
            calls.append(ids)
            return ids.map { Book(id: $0, title: "loaded") }
        }
    }

    /// Sets a loader whose answers the test gives.
    private func setHeldLoader() {
        cache.setLoader(for: Book.self, gathering: .zero) { [server] in
            try await server.response(to: $0)
        }
    }

    private func waiterCount(_ id: Book.ID) -> Int {
        cache.core.loads.waiterCount(for: CacheKey(Book.self, id: id))
    }

    /// Starts a load, and waits until it has joined a call.
    private func startLoad(_ ids: Book.ID...) async -> Task<[Book.ID: Book], any Error> {
        let counts = ids.map { waiterCount($0) }
        let task = Task { try await cache.load(Book.self, ids: ids) }
        #expect(await until { ids.map { waiterCount($0) } == counts.map { $0 + 1 } })
        return task
    }

    // MARK: Gathering

    @Test func concurrentLoadsAreGathered() async throws {
        setLoader()
        let first = await startLoad(1)
        let second = await startLoad(2, 3)
        let third = Task { try await cache.load(Book.self, id: 3) }
        #expect(await until { waiterCount(3) == 2 })
        #expect(await until { clock.sleeperCount == 1 })
        clock.advance(by: .milliseconds(999))
        #expect(calls.all == [])
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .milliseconds(1))
        #expect(try await first.value == [1: book(1)])
        #expect(try await second.value == [2: book(2), 3: book(3)])
        #expect(try await third.value == book(3))
        #expect(calls.all == [[1, 2, 3]])
        #expect(cache.version == 1)
    }

    @Test func loadsAfterThePauseAreGatheredAnew() async throws {
        setLoader()
        let first = await startLoad(1)
        #expect(await until { clock.sleeperCount == 1 })
        clock.advance(by: .seconds(1))
        _ = try await first.value
        let second = await startLoad(2)
        #expect(await until { clock.sleeperCount == 1 })
        clock.advance(by: .seconds(1))
        _ = try await second.value
        #expect(calls.all == [[1], [2]])
    }

    @Test func fullCallBeginsAtOnce() async throws {
        setLoader(atMost: 2)
        #expect(try await cache.load(Book.self, ids: [1, 2, 3, 4]).count == 4)
        #expect(Set(calls.all) == [[1, 2], [3, 4]])
        let rest = await startLoad(5)
        #expect(calls.count == 2)
        #expect(await until { clock.sleeperCount == 1 })
        #expect(try await cache.load(Book.self, id: 6) == book(6))
        #expect(try await rest.value == [5: book(5)])
        #expect(calls.all.last == [5, 6])
        #expect(await until { clock.sleeperCount == 0 })
    }

    @Test func loaderWithoutAPauseSplitsTheKeysOfOneLoad() async throws {
        setLoader(gathering: .zero, atMost: 2)
        #expect(try await cache.load(Book.self, ids: [1, 2, 3, 4, 5]).count == 5)
        #expect(Set(calls.all) == [[1, 2], [3, 4], [5]])
        #expect(try await cache.load(Book.self, id: 6) == book(6))
        #expect(calls.count == 4)
        #expect(clock.sleeperCount == 0)
    }

    @Test func onlyMissingEntitiesAreRequested() async throws {
        setLoader(gathering: .zero)
        cache.set(Book(id: 1, title: "stored"))
        cache.set(Book(id: 2, title: "stored"))
        cache.invalidate(Book.self, id: 2)
        #expect(try await cache.load(Book.self, id: 1)?.title == "stored")
        let titles = try await cache.load(Book.self, ids: [1, 2, 3]).mapValues(\.title)
        #expect(titles == [1: "stored", 2: "loaded", 3: "loaded"])
        #expect(calls.all == [[2, 3]])
        #expect(try await cache.load(Book.self, id: 4, policy: .cacheOnly) == nil)
        #expect(try await cache.load(Book.self, id: 1, policy: .networkOnly)?.title == "loaded")
    }

    @Test func keysThatNoCallerNeedsAnyMoreAreNotRequested() async throws {
        setLoader()
        let (first, second) = (await startLoad(1, 2), await startLoad(2, 3))
        #expect(await until { clock.sleeperCount == 1 })
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        clock.advance(by: .seconds(1))
        #expect(try await second.value.count == 2)
        #expect(calls.all == [[2, 3]])
    }

    @Test func callThatAllHaveLeftIsNotMade() async throws {
        setLoader()
        let load = await startLoad(1, 2)
        #expect(await until { clock.sleeperCount == 1 })
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
        #expect(await until { clock.sleeperCount == 0 })
        clock.advance(by: .seconds(1))
        #expect(cache.core.loads.isIdle)
        #expect(calls.all == [])
        #expect(!cache.core.writer.hasLeases)
    }

    @Test func staleEntitiesAreGatheredInTheBackground() async throws {
        setLoader()
        cache.set(contentsOf: [Book(id: 1, title: "stored"), Book(id: 2, title: "stored")])
        cache.invalidate(Book.self)
        for id in 1...2 {
            let value = try await cache.load(Book.self, id: id, policy: .staleWhileRevalidate)
            #expect(value?.title == "stored")
        }
        #expect(await until { clock.sleeperCount == 1 })
        clock.advance(by: .seconds(1))
        #expect(await until { cache.get(Book.self, id: 2)?.title == "loaded" })
        #expect(calls.all == [[1, 2]])
    }

    @Test func errorReachesAllLoadsOfTheCall() async throws {
        setHeldLoader()
        let load = await startLoad(1, 2)
        #expect(await until { server.requests == [[1, 2]] })
        let other = await startLoad(2)
        server.answer(0, .failure(Failure()))
        await #expect(throws: Failure()) { try await load.value }
        await #expect(throws: Failure()) { try await other.value }
    }

    @Test func unexpectedEntityConcernsTheWholeCall() async throws {
        setHeldLoader()
        let load = await startLoad(1, 2)
        #expect(await until { server.requests == [[1, 2]] })
        server.answer([book(1), book(2), book(3)])
        let error = LoadError.unexpectedEntity(
            CacheKey(Book.self, id: 3),
            requested: [CacheKey(Book.self, id: 1), CacheKey(Book.self, id: 2)]
        )
        await #expect(throws: error) { try await load.value }
        #expect(cache.version == 0)
    }

    // MARK: Other loads

    @Test func loadWithAClosureSharesTheCallOfALoader() async throws {
        setHeldLoader()
        let load = await startLoad(1)
        #expect(await until { server.requests == [[1]] })
        let other = Task { try await cache.load(Book.self, id: 1) { Book(id: 1, title: "other") } }
        #expect(await until { waiterCount(1) == 2 })
        server.answer([book(1)])
        #expect(try await other.value == book(1))
        #expect(try await load.value == [1: book(1)])
    }

    @Test func storedValueIsNoAnswerToALoadFromTheNetwork() async throws {
        setLoader()
        let load = await startLoad(1)
        let other = Task {
            try await cache.load(Book.self, id: 1, policy: .networkOnly) {
                Book(id: 1, title: "other")
            }
        }
        #expect(await until { waiterCount(1) == 2 })
        #expect(await until { clock.sleeperCount == 1 })
        // The call that gathers keys finds the entity, and makes no request.
        cache.set(Book(id: 1, title: "stored"))
        clock.advance(by: .seconds(1))
        #expect(try await load.value[1]?.title == "stored")
        #expect(try await other.value?.title == "other")
        #expect(calls.all == [])
    }

    @Test func partialAnswerOfTheLoaderIsNotEnoughForAnotherClosure() async throws {
        setLoader()
        let load = await startLoad(1)
        let detail = Task {
            try await cache.load(Book.self, id: 1, requiring: { $0.year != nil }) {
                Book(id: 1, year: 1974)
            }
        }
        // The loader's call hasn't begun, but it won't run the other closure.
        #expect(await until { waiterCount(1) == 2 })
        #expect(await until { clock.sleeperCount == 1 })
        clock.advance(by: .seconds(1))
        #expect(try await load.value[1]?.year == nil)
        #expect(try await detail.value?.year == 1974)
    }

    @Test func requirementOfTheLoaderApplies() async throws {
        cache.setLoader(
            for: Book.self,
            gathering: .zero,
            requiring: { $0.year != nil }
        ) { [calls] ids in
            calls.append(ids)
            return ids.map { Book(id: $0, title: "loaded", year: 1974) }
        }
        cache.set(Book(id: 1, title: "row"))
        cache.set(Book(id: 2, title: "row", year: 1969))
        #expect(try await cache.load(Book.self, id: 1, policy: .cacheOnly) == nil)
        #expect(try await cache.load(Book.self, id: 2, policy: .cacheOnly)?.year == 1969)
        #expect(try await cache.load(Book.self, ids: [1, 2]).count == 2)
        #expect(calls.all == [[1]])
        // The requirement of the load applies too.
        let author: @Sendable (Book) -> Bool = { $0.author != nil }
        #expect(
            try await cache.load(Book.self, id: 2, requiring: author)?.title == "loaded"
        )
        cache.set(Book(id: 3, title: "row", author: "U"))
        #expect(try await cache.load(Book.self, id: 3, requiring: author)?.year == 1974)
        #expect(calls.all == [[1], [2], [3]])
        // A load with a closure of its own isn't concerned.
        cache.set(Book(id: 4, title: "row"))
        #expect(try await cache.load(Book.self, id: 4) { nil }?.title == "row")
    }

    @Test func failuresOfALoaderAreRemembered() async throws {
        cache.setLoader(for: Book.self, gathering: .zero, rememberingFailures: .seconds(30)) {
            [calls] ids in
            calls.append(ids)
            return []
        }
        #expect(try await cache.load(Book.self, id: 1) == nil)
        #expect(try await cache.load(Book.self, ids: [1, 2]) == [:])
        #expect(calls.all == [[1], [2]])
        clock.advance(by: .seconds(30))
        #expect(try await cache.load(Book.self, id: 1) == nil)
        #expect(calls.count == 3)
    }
}
