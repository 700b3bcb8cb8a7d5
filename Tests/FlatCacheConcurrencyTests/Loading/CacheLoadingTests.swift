import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.timeLimit(.minutes(20)))
struct CacheLoadingTests {
    private struct Failure: Error, Equatable {}

    private let cache = Cache()
    private let server = HeldServer<Book.ID, Book?>()

    private func waiterCount(_ id: Book.ID = 1) -> Int {
        cache.core.loads.waiterCount(for: CacheKey(Book.self, id: id))
    }

    private func load(_ id: Book.ID = 1) async throws -> Book? {
        try await cache.load(Book.self, id: id) { [server] in try await server.response(to: id) }
    }

    /// Starts loads of a book, and waits until their call is running.
    private func callers(_ count: Int) async -> [Task<Book?, any Error>] {
        let callers = (0..<count).map { _ in Task { try await load() } }
        #expect(await until { waiterCount() == count && server.requests.count == 1 })
        return callers
    }

    // MARK: Answers

    @Test func concurrentLoadsShareOneCall() async throws {
        let callers = await callers(3)
        server.answer(Book(id: 1, title: "loaded"))
        for caller in callers { #expect(try await caller.value?.title == "loaded") }
        #expect(server.requests == [1])
        #expect(cache.core.loads.isIdle)
    }

    @Test func answerIsMergedWithTheStoredValue() async throws {
        cache.set(Book(id: 1, title: "stored", year: 1974))
        let value = try await cache.load(Book.self, id: 1, policy: .networkOnly) {
            Book(id: 1, title: "loaded")
        }
        #expect(value == Book(id: 1, title: "loaded", year: 1974))
        #expect(cache.get(Book.self, id: 1) == value)
    }

    @Test func entityThatDoesNotExistIsNil() async throws {
        let callers = await callers(2)
        server.answer(nil)
        for caller in callers { #expect(try await caller.value == nil) }
        #expect(cache.get(Book.self, id: 1) == nil)
        let version = cache.version
        // The lack of the entity isn't remembered.
        #expect(try await cache.load(Book.self, id: 1) { Book(id: 1) } == Book(id: 1))
        #expect(cache.version == version + 1)
    }

    @Test func storedValueStaysIfTheAnswerIsNil() async throws {
        cache.set(Book(id: 1, title: "stored"))
        let value = try await cache.load(Book.self, id: 1, policy: .networkOnly) { nil }
        #expect(value == nil)
        #expect(cache.get(Book.self, id: 1)?.title == "stored")
    }

    @Test func errorReachesAllCallersAndIsNotRemembered() async throws {
        let callers = await callers(3)
        server.answer(0, .failure(Failure()))
        for caller in callers { await #expect(throws: Failure()) { try await caller.value } }
        #expect(cache.core.loads.isIdle)
        #expect(try await cache.load(Book.self, id: 1) { Book(id: 1) } == Book(id: 1))
    }

    @Test func throwingClosureStoresNothing() async throws {
        await #expect(throws: Failure()) {
            try await cache.load(Book.self, id: 1) {
                cache.ingest { _ = try? decoded(Library.City.self, #"{"id": "a", "name": "A"}"#) }
                throw Failure()
            }
        }
        #expect(cache.version == 0)
        #expect(!cache.core.writer.hasLeases)
    }

    @Test func unexpectedEntityIsAnErrorAndNothingIsStored() async throws {
        let error = LoadError.unexpectedEntity(
            CacheKey(Book.self, id: 2),
            requested: [CacheKey(Book.self, id: 1)]
        )
        await #expect(throws: error) {
            try await cache.load(Book.self, id: 1) {
                _ = try decoded(Library.Novel.self, Self.novel)
                return Book(id: 2)
            }
        }
        #expect(cache.version == 0)
        #expect(cache.get(Book.self, id: 2) == nil)
        #expect("\(error)".contains("Book 2") || "\(error)".contains("2"))
    }

    private static let novel = """
        {"id": 1, "title": "The Dispossessed", "tags": [{"id": "classic", "note": "n"}],
        "author": {"id": 7, "name": "Ursula", "home": {"id": "p", "name": "Portland"}}}
        """

    @Test func nestedEntitiesAreStoredInOneCommitWithTheValue() async throws {
        let observed = Recorder<String>()
        let novel = cache.cached(Library.Novel.self, id: 1)
        let token = novel.observe { [cache] in
            let author = cache.get(Library.Person.self, id: 7)?.name ?? "none"
            observed.append("\($0.title) by \(author)")
        }
        let value = try await cache.load(Library.Novel.self, id: 1) {
            try decoded(Library.Novel.self, Self.novel)
        }
        #expect(value?.title == "The Dispossessed")
        #expect(cache.version == 1)
        #expect(cache.get(Library.City.self, id: "p")?.name == "Portland")
        #expect(cache.get(Library.Tag.self, id: "classic") != nil)
        #expect(cache.isSettled())
        #expect(observed.all == ["The Dispossessed by Ursula"])
        token.dispose()
    }

    @Test func loadInsideAnIngestIsACommitOfItsOwn() async throws {
        try await cache.ingest {
            _ = try await cache.load(Book.self, id: 1) { Book(id: 1, title: "loaded") }
            #expect(cache.get(Book.self, id: 1)?.title == "loaded")
        }
    }

    // MARK: Cancellation

    @Test func cancelledCallerLeavesTheOthers() async throws {
        let callers = await callers(3)
        callers[0].cancel()
        await #expect(throws: CancellationError.self) { try await callers[0].value }
        #expect(waiterCount() == 2)
        server.answer(Book(id: 1, title: "loaded"))
        #expect(try await callers[1].value?.title == "loaded")
        #expect(try await callers[2].value?.title == "loaded")
        #expect(server.cancellationCount == 0)
    }

    @Test func lastCallerCancelsTheCall() async throws {
        let callers = await callers(2)
        for caller in callers { caller.cancel() }
        for caller in callers {
            await #expect(throws: CancellationError.self) { try await caller.value }
        }
        #expect(await until { server.cancellationCount == 1 })
        #expect(cache.core.loads.isIdle)
        #expect(await until { !cache.core.writer.hasLeases })
    }

    @Test func callThatAllHaveLeftStoresNothing() async throws {
        let deaf = HeldServer<Book.ID, Book?>(heedsCancellation: false)
        let ended = Signal()
        let caller = Task {
            try await cache.load(Book.self, id: 1) {
                let receipt = Receipt { ended.fire() }
                defer { withExtendedLifetime(receipt) {} }
                return try await deaf.response(to: 1)
            }
        }
        #expect(await until { deaf.requests == [1] })
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        let later = await callers(1)
        deaf.answer(Book(id: 1, title: "left"))
        #expect(await until { ended.isFired })
        server.answer(Book(id: 1, title: nil, year: 1974))
        // A title of the first answer would have been merged.
        #expect(try await later[0].value == Book(id: 1, year: 1974))
        #expect(cache.version == 1)
    }

    // MARK: The cache's end

    @Test func callOutlivesItsCacheAndStoresNothing() async throws {
        var cache: Cache? = Cache()
        let core = try #require(cache?.core)
        cache?.set(Book(id: 1, title: "stored"))
        cache?.invalidate(Book.self, id: 1)
        let value = try await cache?.load(Book.self, id: 1, policy: .staleWhileRevalidate) {
            try await server.response(to: 1)
        }
        #expect(value?.title == "stored")
        #expect(await until { server.requests == [1] })
        cache = nil
        #expect(core.isClosed)
        let later = Task {
            try await core.load(
                1,
                in: core.tables.table(of: Book.self),
                LoadOptions(policy: .cacheFirst, requirement: nil)
            ) { EntityLoader(rememberingFailures: nil) { _, _ in LoadedEntities([]) } }
        }
        #expect(await until { core.loads.waiterCount(for: CacheKey(Book.self, id: 1)) == 1 })
        server.answer(Book(id: 1, title: "loaded"))
        #expect(try await later.value?.title == "loaded")
        #expect(await until { core.loads.isIdle })
        #expect(core.tables.table(of: Book.self).writtenValue(id: 1) == nil)
    }

    @Test func noCallRetainsTheCoreAfterItsEnd() async throws {
        var cache: Cache? = Cache()
        let core = Weak(try #require(cache?.core))
        _ = try await cache?.load(Book.self, id: 1) { Book(id: 1) }
        cache?.invalidate(Book.self, id: 1)
        _ = try await cache?.load(Book.self, id: 1, policy: .staleWhileRevalidate) {
            try await server.response(to: 1)
        }
        #expect(await until { server.requests == [1] })
        cache = nil
        #expect(core.object != nil)
        server.answer(nil)
        #expect(await until { core.object == nil })
    }
}
