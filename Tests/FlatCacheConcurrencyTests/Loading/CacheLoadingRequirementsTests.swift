import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.timeLimit(.minutes(20)))
struct CacheLoadingRequirementsTests {
    private let cache = Cache()
    private let server = HeldServer<String, Book?>()

    private static let isWhole: @Sendable (Book) -> Bool = { $0.year != nil }

    private let row = Book(id: 1, title: "row")
    private let detail = Book(id: 1, title: "detail", year: 1974)

    private func loadDetail(_ policy: LoadPolicy = .cacheFirst) async throws -> Book? {
        try await cache.load(Book.self, id: 1, policy: policy, requiring: Self.isWhole) {
            [server] in try await server.response(to: "detail")
        }
    }

    private func loadRow() async throws -> Book? {
        try await cache.load(Book.self, id: 1) { [server] in
            try await server.response(to: "row")
        }
    }

    private var waiterCount: Int {
        cache.core.loads.waiterCount(for: CacheKey(Book.self, id: 1))
    }

    @Test func partialValueCountsAsMissing() async throws {
        cache.set(row)
        #expect(try await loadDetail(.cacheOnly) == nil)
        let caller = Task { try await loadDetail(.staleWhileRevalidate) }
        #expect(await until { server.requests == ["detail"] })
        server.answer(detail)
        #expect(try await caller.value == detail)
        #expect(try await loadDetail() == detail)
        #expect(server.requests.count == 1)
    }

    @Test func ownAnswerIsReturnedEvenIfItIsPartial() async throws {
        let caller = Task { try await loadDetail() }
        #expect(await until { server.requests == ["detail"] })
        server.answer(row)
        #expect(try await caller.value == row)
        #expect(server.requests.count == 1)
    }

    @Test func partialAnswerOfAnotherCallIsNotEnough() async throws {
        let first = Task { try await loadRow() }
        #expect(await until { server.requests == ["row"] })
        let second = Task { try await loadDetail() }
        let third = Task { try await loadDetail() }
        #expect(await until { waiterCount == 3 })
        server.answer(row)
        #expect(try await first.value == row)
        #expect(await until { server.requests == ["row", "detail"] && waiterCount == 2 })
        server.answer(1, detail)
        #expect(try await second.value == detail)
        #expect(try await third.value == detail)
    }

    @Test func wholeAnswerOfAnotherCallIsEnough() async throws {
        let first = Task { try await loadRow() }
        #expect(await until { server.requests == ["row"] })
        let second = Task { try await loadDetail() }
        #expect(await until { waiterCount == 2 })
        server.answer(detail)
        #expect(try await first.value == detail)
        #expect(try await second.value == detail)
        #expect(server.requests.count == 1)
    }

    @Test func anotherCallWithoutTheEntityIsEnough() async throws {
        let first = Task { try await loadRow() }
        #expect(await until { server.requests == ["row"] })
        let second = Task { try await loadDetail() }
        #expect(await until { waiterCount == 2 })
        server.answer(nil)
        #expect(try await first.value == nil)
        #expect(try await second.value == nil)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [true, false])
    func partialValueThatReplacesARemovedOneDoesNotAnswer(hasSeveralKeys: Bool) async throws {
        cache.set(row)
        let caller = Task {
            if !hasSeveralKeys { return try await loadDetail() }
            return try await cache.load(Book.self, ids: [1], requiring: Self.isWhole) { _ in
                try await server.response(to: "detail").map { [$0] } ?? []
            }[1]
        }
        #expect(await until { server.requests == ["detail"] })
        cache.remove(Book.self, id: 1)
        cache.set(row)
        server.answer(detail)
        // No part of the removed value returns to the cache.
        #expect(try await caller.value == detail)
        #expect(cache.get(Book.self, id: 1) == row)
    }

    private struct Article: Identifiable, Versioned, Equatable, Sendable {
        let id: Int
        let revision: Int
        var summary: String?

        static var versionKeyPath: KeyPath<Article, Int> { \.revision }
    }

    @Test(arguments: [true, false])
    func newerPartialVersionDoesNotAnswer(hasSeveralKeys: Bool) async throws {
        let row = Article(id: 1, revision: 2)
        let older = Article(id: 1, revision: 1, summary: "whole")
        cache.set(row)
        let isWhole: @Sendable (Article) -> Bool = { $0.summary != nil }
        let loaded =
            if hasSeveralKeys {
                try await cache.load(Article.self, ids: [1], requiring: isWhole) { _ in [older] }[1]
            } else {
                try await cache.load(Article.self, id: 1, requiring: isWhole) { older }
            }
        #expect(loaded == older)
        #expect(cache.get(Article.self, id: 1) == row)
        // A caller without the requirement receives the stored version.
        let stored = try await cache.load(Article.self, id: 1, policy: .networkOnly) { older }
        #expect(stored == row)
    }

    @Test func onlyThePartialAnswersAreLoadedAgain() async throws {
        let severalServer = HeldServer<[Book.ID], [Book]>()
        let first = Task {
            try await cache.load(Book.self, ids: [1, 2]) {
                try await severalServer.response(to: $0)
            }
        }
        #expect(await until { severalServer.requests == [[1, 2]] })
        let second = Task {
            try await cache.load(Book.self, ids: [1, 2, 3], requiring: Self.isWhole) {
                try await severalServer.response(to: $0)
            }
        }
        #expect(await until { severalServer.requests == [[1, 2], [3]] })
        severalServer.answer(0, [row, Book(id: 2, title: "two", year: 2)])
        #expect(try await first.value.count == 2)
        severalServer.answer(1, [Book(id: 3, title: "three")])
        #expect(await until { severalServer.requests == [[1, 2], [3], [1]] })
        severalServer.answer(2, [detail])
        let titles = try await second.value.mapValues(\.title)
        #expect(titles == [1: "detail", 2: "two", 3: "three"])
    }
}
