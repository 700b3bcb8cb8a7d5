import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.timeLimit(.minutes(20)))
struct CacheLoadingSeveralTests {
    private struct Failure: Error, Equatable {}

    private let cache = Cache()
    private let server = HeldServer<[Book.ID], [Book]>()
    private let calls = Recorder<[Book.ID]>()

    private func book(_ id: Book.ID) -> Book { Book(id: id, title: "loaded") }

    /// Loads books, and returns their titles.
    private func load(
        _ ids: [Book.ID],
        _ policy: LoadPolicy = .cacheFirst
    ) async throws -> [Book.ID: String?] {
        try await cache.load(Book.self, ids: ids, policy: policy) { [calls] missing in
            calls.append(missing)
            return missing.map { Book(id: $0, title: "loaded") }
        }.mapValues(\.title)
    }

    private func waits(for id: Book.ID) -> Bool {
        cache.core.loads.waiterCount(for: CacheKey(Book.self, id: id)) > 0
    }

    @Test func onlyMissingAndStaleEntitiesAreLoaded() async throws {
        cache.set(Book(id: 1, title: "fresh"))
        cache.set(Book(id: 2, title: "stale"))
        cache.invalidate(Book.self, id: 2)
        let titles = try await load([3, 1, 2])
        #expect(titles == [1: "fresh", 2: "loaded", 3: "loaded"])
        #expect(calls.all == [[3, 2]])
        #expect(try await load([1, 2, 3]) == titles)
        #expect(calls.count == 1)
    }

    @Test func identifierIsRequestedOnce() async throws {
        #expect(try await load([2, 1, 2, 2, 1]) == [1: "loaded", 2: "loaded"])
        #expect(calls.all == [[2, 1]])
    }

    @Test func closureIsNotCalledForNothing() async throws {
        #expect(try await load([]) == [:])
        #expect(try await load([], .networkOnly) == [:])
        #expect(try await load([1], .cacheOnly) == [:])
        #expect(calls.all == [])
    }

    @Test func entityThatIsNotInTheAnswerIsMissing() async throws {
        cache.set(Book(id: 2, title: "stored"))
        let books = try await cache.load(Book.self, ids: [1, 2, 3], policy: .networkOnly) { _ in
            [book(3)]
        }
        #expect(books == [3: book(3)])
        #expect(cache.get(Book.self, id: 2)?.title == "stored")
    }

    @Test func answerIsStoredInOneCommit() async throws {
        let commits = Recorder<String>()
        let token = cache.recordAll(Book.self, in: commits)
        _ = try await load([1, 2, 3])
        #expect(cache.version == 1)
        #expect(cache.isSettled())
        #expect(commits.all == ["+1 +2 +3"])
        token.dispose()
    }

    @Test func unexpectedEntityIsAnErrorAndNothingIsStored() async throws {
        let error = LoadError.unexpectedEntity(
            CacheKey(Book.self, id: 9),
            requested: [CacheKey(Book.self, id: 1), CacheKey(Book.self, id: 2)]
        )
        await #expect(throws: error) {
            try await cache.load(Book.self, ids: [1, 2]) { _ in [book(1), book(9), book(2)] }
        }
        #expect(cache.version == 0)
        #expect(cache.values(of: Book.self).isEmpty)
    }

    @Test func entityThatIsStoredButWasNotRequestedIsUnexpected() async throws {
        cache.set(Book(id: 1, title: "stored"))
        await #expect(throws: LoadError.self) {
            try await cache.load(Book.self, ids: [1, 2]) { _ in [book(1), book(2)] }
        }
        #expect(cache.get(Book.self, id: 1)?.title == "stored")
        #expect(cache.get(Book.self, id: 2) == nil)
    }

    @Test func overlappingLoadsRequestEachEntityOnce() async throws {
        let first = Task {
            try await cache.load(Book.self, ids: [1, 2]) { try await server.response(to: $0) }
        }
        #expect(await until { server.requests == [[1, 2]] })
        let second = Task {
            try await cache.load(Book.self, ids: [2, 3]) { try await server.response(to: $0) }
        }
        #expect(await until { server.requests == [[1, 2], [3]] })
        let third = Task {
            try await cache.load(Book.self, id: 3) { try await server.response(to: [3]).first }
        }
        #expect(
            await until {
                cache.core.loads.waiterCount(for: CacheKey(Book.self, id: 3)) == 2
            }
        )
        server.answer(1, [book(3)])
        #expect(try await third.value == book(3))
        server.answer(0, [book(1), book(2)])
        #expect(try await first.value == [1: book(1), 2: book(2)])
        #expect(try await second.value == [2: book(2), 3: book(3)])
        #expect(server.requests.count == 2)
    }

    @Test func errorOfOneCallEndsTheLoad() async throws {
        let first = Task {
            try await cache.load(Book.self, id: 1) { try await server.response(to: [1]).first }
        }
        #expect(await until { server.requests == [[1]] })
        let second = Task {
            try await cache.load(Book.self, ids: [1, 2]) { try await server.response(to: $0) }
        }
        #expect(await until { server.requests == [[1], [2]] })
        server.answer(0, .failure(Failure()))
        await #expect(throws: Failure()) { try await first.value }
        await #expect(throws: Failure()) { try await second.value }
        #expect(await until { server.cancellationCount == 1 })
        #expect(cache.core.loads.isIdle)
    }

    @Test func cancelledCallerCancelsOnlyTheCallsThatItAloneNeeds() async throws {
        let first = Task {
            try await cache.load(Book.self, ids: [1]) { try await server.response(to: $0) }
        }
        #expect(await until { server.requests == [[1]] })
        let second = Task {
            try await cache.load(Book.self, ids: [1, 2]) { try await server.response(to: $0) }
        }
        #expect(await until { server.requests == [[1], [2]] })
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(await until { server.cancellationCount == 1 })
        server.answer(0, [book(1)])
        #expect(try await first.value == [1: book(1)])
        #expect(!waits(for: 2))
    }
}
