import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the entities that a gathered call requests if its callers need different ones.
@Suite(.timeLimit(.minutes(15)))
struct LoaderGatheringTests {
    /// A load of the stored book 1 that needs more than the stored value.
    enum Detail: CaseIterable, Sendable {
        case entity, entities, handle

        private static let isWhole: @Sendable (Book) -> Bool = { $0.year != nil }

        /// Starts the load; the task ends with the book that is stored by then.
        func start(in cache: Cache, _ policy: LoadPolicy) -> Task<Book?, any Error> {
            let requirement = policy == .networkOnly ? nil : Self.isWhole
            return Task {
                switch self {
                case .entity:
                    return try await cache.load(
                        Book.self,
                        id: 1,
                        policy: policy,
                        requiring: requirement
                    )
                case .entities:
                    return try await cache.load(
                        Book.self,
                        ids: [1],
                        policy: policy,
                        requiring: requirement
                    )[1]
                case .handle:
                    let handle = cache.cached(Book.self, id: 1)
                        .loading(policy, requiring: requirement ?? { _ in true })
                    let token = handle.observe { _ in }
                    _ = await until { !handle.loadState.isLoading }
                    token.dispose()
                    return handle.value
                }
            }
        }
    }

    private let clock = ManualClock()
    private let cache: Cache
    private let server = HeldServer<[Book.ID], [Book]>()

    init() { cache = Cache(configuration: CacheConfiguration(clock: clock)) }

    private func setLoader(atMost maximum: Int = 100) {
        cache.setLoader(for: Book.self, gathering: .seconds(1), atMost: maximum) {
            [server] ids in try await server.response(to: ids)
        }
    }

    private func isAwaited(_ id: Book.ID) async -> Bool {
        await until { cache.core.loads.waiterCount(for: CacheKey(Book.self, id: id)) == 1 }
    }

    /// Starts the load of a missing book, and waits until it has joined a call.
    private func startRow(_ id: Book.ID) async -> Task<Book?, any Error> {
        let row = Task { try await cache.load(Book.self, id: id) }
        #expect(await isAwaited(id))
        return row
    }

    // MARK: Needs

    @Test(arguments: Detail.allCases, [LoadPolicy.cacheFirst, .networkOnly])
    func callThatARowHasStartedRequestsTheStoredEntityOfADetail(
        detail: Detail,
        policy: LoadPolicy
    ) async throws {
        setLoader()
        cache.set(Book(id: 1, title: "stored"))
        let row = await startRow(2)
        let load = detail.start(in: cache, policy)
        #expect(await isAwaited(1))
        #expect(await until { clock.sleeperCount == 1 })
        clock.advance(by: .seconds(1))
        #expect(await until { server.requests.count == 1 })
        #expect(server.requests.first?.sorted() == [1, 2])
        let books = [1, 2].map { Book(id: $0, title: "loaded", year: 1974) }
        server.answer(books)
        #expect(try await row.value == books[1])
        #expect(try await load.value == books[0])
        #expect(server.requests.count == 1)
    }

    @Test(arguments: Detail.allCases)
    func callDoesNotRequestAnEntityThatIsStoredForTheDetailWhileItGathers(
        detail: Detail
    ) async throws {
        setLoader()
        cache.set(Book(id: 1, title: "stored"))
        let row = await startRow(2)
        let load = detail.start(in: cache, .cacheFirst)
        #expect(await isAwaited(1))
        #expect(await until { clock.sleeperCount == 1 })
        let written = Book(id: 1, title: "written", year: 1974)
        cache.set(written)
        clock.advance(by: .seconds(1))
        #expect(await until { server.requests == [[2]] })
        server.answer([Book(id: 2)])
        #expect(try await row.value == Book(id: 2))
        #expect(try await load.value == written)
        #expect(await until { cache.core.loads.isIdle })
        #expect(server.requests == [[2]])
    }

    // MARK: Sizes

    @Test func keyThatNoCallerNeedsAnyMoreDoesNotCountTowardsTheSizeOfACall() async throws {
        setLoader(atMost: 3)
        var rows = [await startRow(1), await startRow(2)]
        rows[1].cancel()
        await #expect(throws: CancellationError.self) { try await rows[1].value }
        rows[1] = await startRow(3)
        #expect(server.requests == [])
        rows.append(await startRow(4))
        #expect(await until { server.requests.map { $0.sorted() } == [[1, 3, 4]] })
        server.answer([1, 3, 4].map { Book(id: $0) })
        for row in rows { #expect(try await row.value != nil) }
    }

    @Test func keyThatIsNeededAgainJoinsTheCall() async throws {
        setLoader(atMost: 3)
        let first = await startRow(1)
        let second = await startRow(2)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        let rows = [first, await startRow(2)]
        #expect(await until { clock.sleeperCount == 1 })
        clock.advance(by: .seconds(1))
        #expect(await until { server.requests.map { $0.sorted() } == [[1, 2]] })
        server.answer([1, 2].map { Book(id: $0) })
        for row in rows { #expect(try await row.value != nil) }
    }

    @Test func fullCallDoesNotWaitForTheLongestPause() async throws {
        let longest = Duration(secondsComponent: .max, attosecondsComponent: 0)
        cache.setLoader(for: Book.self, gathering: longest, atMost: 2) { ids in
            ids.map { Book(id: $0) }
        }
        let row = await startRow(1)
        #expect(try await cache.load(Book.self, id: 2) == Book(id: 2))
        #expect(try await row.value == Book(id: 1))
    }
}
