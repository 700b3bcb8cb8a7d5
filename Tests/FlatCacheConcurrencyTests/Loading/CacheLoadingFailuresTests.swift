import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.timeLimit(.minutes(20)))
struct CacheLoadingFailuresTests {
    private struct Failure: Error, Equatable {
        var number = 1
    }

    private let clock = ManualClock()
    private let cache: Cache
    private let calls = Recorder<[Book.ID]>()
    private let fails = Locked(true)

    init() { cache = Cache(configuration: CacheConfiguration(clock: clock)) }

    /// Loads books, whose call fails at first.
    private func load(
        _ ids: [Book.ID] = [1],
        _ policy: LoadPolicy = .cacheFirst
    ) async throws -> [Book.ID: Book] {
        try await cache.load(
            Book.self,
            ids: ids,
            policy: policy,
            rememberingFailures: .seconds(30)
        ) { [calls, fails] missing in
            calls.append(missing)
            if fails.withLock({ $0 }) { throw Failure() }
            return missing.map { Book(id: $0) }
        }
    }

    /// Makes a load fail, and the next call succeed.
    private func fail() async {
        await #expect(throws: Failure()) { try await load() }
        fails.withLock { $0 = false }
    }

    @Test func errorIsRememberedForAWhile() async throws {
        await fail()
        clock.advance(by: .seconds(29))
        await #expect(throws: Failure()) { try await load() }
        #expect(calls.count == 1)
        clock.advance(by: .seconds(1))
        #expect(try await load() == [1: Book(id: 1)])
        #expect(calls.count == 2)
    }

    @Test func missingEntityIsRememberedForAWhile() async throws {
        let exists = Locked(false)
        func load() async throws -> Book? {
            try await cache.load(Book.self, id: 1, rememberingFailures: .seconds(30)) {
                [calls] in
                calls.append([1])
                return exists.withLock { $0 } ? Book(id: 1) : nil
            }
        }
        #expect(try await load() == nil)
        exists.withLock { $0 = true }
        #expect(try await load() == nil)
        #expect(calls.count == 1)
        clock.advance(by: .seconds(30))
        #expect(try await load() == Book(id: 1))
    }

    /// Other code proves that the entity exists, also with an equal value and a partial one.
    @Test(arguments: [false, true], [false, true])
    func storedEntityIsNotRememberedAsMissing(wasStored: Bool, isPartial: Bool) async throws {
        cache.limit(Book.self, .unlimited, staleAfter: .after(.seconds(10)))
        func load() async throws -> [Book.ID: Book] {
            try await cache.load(
                Book.self,
                ids: [1],
                requiring: { !isPartial || $0.title != nil },
                rememberingFailures: .seconds(60)
            ) { [calls] ids in
                calls.append(ids)
                return []
            }
        }
        if wasStored {
            cache.set(Book(id: 1))
            clock.advance(by: .seconds(10))
        }
        #expect(try await load() == [:])
        clock.advance(by: .seconds(5))
        #expect(try await load() == [:])
        #expect(calls.count == 1)
        cache.set(Book(id: 1))
        if !isPartial { clock.advance(by: .seconds(10)) }
        #expect(try await load() == [:])
        #expect(calls.count == 2)
        #expect(try await load() == [:])
        #expect(calls.count == 2)
    }

    @Test func errorIsRememberedForEachKeyOfTheCall() async throws {
        await #expect(throws: Failure()) { try await load([1, 2]) }
        fails.withLock { $0 = false }
        await #expect(throws: Failure()) { try await load([2, 3]) }
        #expect(try await load([3]) == [3: Book(id: 3)])
        #expect(calls.all == [[1, 2], [3]])
    }

    @Test func loadsWithoutAMemoryOfTheirOwnAreConcerned() async throws {
        await fail()
        await #expect(throws: Failure()) {
            try await cache.load(Book.self, id: 1) { Book(id: 1) }
        }
    }

    @Test func loadFromTheNetworkIgnoresTheFailure() async throws {
        await fail()
        #expect(try await load([1], .networkOnly) == [1: Book(id: 1)])
    }

    @Test func storedEntityIgnoresTheFailure() async throws {
        await fail()
        cache.set(Book(id: 1, title: "stored"))
        #expect(try await load()[1]?.title == "stored")
        #expect(calls.count == 1)
    }

    @Test func staleEntityIsReturnedWithoutACall() async throws {
        cache.set(Book(id: 1, title: "stored"))
        cache.invalidate(Book.self, id: 1)
        await #expect(throws: Failure()) { try await load() }
        #expect(try await load([1], .staleWhileRevalidate)[1]?.title == "stored")
        #expect(await until { cache.core.loads.isIdle })
        #expect(calls.count == 1)
        await #expect(throws: Failure()) { try await load() }
    }

    static let forgettingWrites: [@Sendable (Cache) -> Void] = [
        { $0.remove(Book.self, id: 1) }, { $0.removeAll(Book.self) }, { $0.removeAll() },
        { $0.invalidate(Book.self, id: 1) }, { $0.invalidate(Book.self) },
        { cache in cache.performBatchUpdates { $0.invalidate(Book.self, id: 1) } },
        { $0.setLoader(for: Book.self) { _ in [] } },
    ]

    @Test(arguments: forgettingWrites.indices)
    func removalsAndInvalidationsForgetFailures(write: Int) async throws {
        await fail()
        Self.forgettingWrites[write](cache)
        #expect(try await load() == [1: Book(id: 1)])
    }

    static let otherWrites: [@Sendable (Cache) -> Void] = [
        { $0.remove(Book.self, id: 2) }, { $0.removeAll(Note.self) },
        { $0.invalidate(Book.self, id: 2) }, { $0.invalidate(Note.self) },
        { cache in
            try? cache.performBatchUpdates { batch in
                batch.invalidate(Book.self, id: 1)
                throw Failure()
            }
        },
        { $0.setLoader(for: Note.self) { _ in [] } },
    ]

    @Test(arguments: otherWrites.indices)
    func otherWritesForgetNoFailure(write: Int) async throws {
        await fail()
        Self.otherWrites[write](cache)
        await #expect(throws: Failure()) { try await load() }
    }

    @Test func invalidationDuringTheLoadForgetsItsFailure() async throws {
        for result: Result<[Book], any Error> in [.failure(Failure()), .success([])] {
            let server = HeldServer<[Book.ID], [Book]>()
            let caller = Task {
                try await cache.load(Book.self, ids: [1, 2], rememberingFailures: .seconds(30)) {
                    try await server.response(to: $0)
                }
            }
            #expect(await until { server.requests.count == 1 })
            cache.invalidate(Book.self, id: 1)
            server.answer(0, result)
            _ = await caller.result
            #expect(cache.core.loadFailure(of: CacheKey(Book.self, id: 1)) == nil)
            #expect(cache.core.loadFailure(of: CacheKey(Book.self, id: 2)) != nil)
            cache.removeAll()
        }
    }

    /// Some network libraries throw an error of their own when their task is cancelled.
    @Test func errorOfACallThatAllHaveLeftIsNotRemembered() async throws {
        for result: Result<[Book], any Error> in [.failure(Failure()), .success([])] {
            let server = HeldServer<[Book.ID], [Book]>(heedsCancellation: false)
            let end = Signal()
            let caller = Task {
                // The task of the call retains the closure until its end.
                let receipt = Receipt { end.fire() }
                return try await cache.load(
                    Book.self,
                    ids: [1],
                    rememberingFailures: .seconds(30)
                ) {
                    defer { withExtendedLifetime(receipt) {} }
                    return try await server.response(to: $0)
                }
            }
            #expect(await until { server.requests.count == 1 })
            caller.cancel()
            _ = await caller.result
            server.answer(0, result)
            #expect(await until { end.isFired })
            #expect(cache.core.loadFailure(of: CacheKey(Book.self, id: 1)) == nil)
        }
    }

    @Test func cancellationIsNotRemembered() async throws {
        await #expect(throws: CancellationError.self) {
            try await cache.load(Book.self, id: 1, rememberingFailures: .seconds(30)) {
                throw CancellationError()
            }
        }
        fails.withLock { $0 = false }
        #expect(try await load() == [1: Book(id: 1)])
    }

    @Test func errorOfARequestIsRememberedForAWhile() async throws {
        func load(_ policy: LoadPolicy = .cacheFirst) async throws -> Int {
            try await cache.load("page", policy: policy, rememberingFailures: .seconds(30)) {
                [calls] in
                calls.append([])
                throw Failure(number: calls.count)
            }
        }
        await #expect(throws: Failure(number: 1)) { try await load() }
        await #expect(throws: Failure(number: 1)) { try await load() }
        await #expect(throws: Failure(number: 2)) { try await load(.networkOnly) }
        cache.invalidate(request: "page")
        await #expect(throws: Failure(number: 3)) { try await load() }
        cache.invalidate(requestsWithPrefix: "p")
        await #expect(throws: Failure(number: 4)) { try await load() }
        cache.invalidate(requestsWithPrefix: "page?")
        await #expect(throws: Failure(number: 4)) { try await load() }
        cache.removeAll()
        await #expect(throws: Failure(number: 5)) { try await load() }
        clock.advance(by: .seconds(31))
        await #expect(throws: Failure(number: 6)) { try await load() }
    }
}
