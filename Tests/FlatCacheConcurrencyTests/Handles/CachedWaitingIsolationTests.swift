import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests waiting on actors, written as by a client: this compiles without annotations.
@Suite(.timeLimit(.minutes(15)))
struct CachedWaitingIsolationTests {
    @MainActor final class Screen {
        private var asked: [String?] = []

        func wait(for title: String, of book: Cached<Book>) async throws -> [String?] {
            _ = try await book.first { book in
                MainActor.assertIsolated()
                asked.append(book.title)
                return book.title == title
            }
            return asked
        }

        func value(of book: Cached<Book>, _ clock: ManualClock) async throws -> Book {
            try await book.first(timeout: .seconds(1), clock: clock)
        }

        func first(of book: Cached<Book>, _ clock: ManualClock) async throws -> Book {
            try await book.first(timeout: .seconds(1), clock: clock) { $0.title == "A" }
        }
    }

    actor Service {
        private var asked: [String?] = []

        func wait(for title: String, of book: Cached<Book>) async throws -> [String?] {
            _ = try await book.first { book in
                preconditionIsolated()
                asked.append(book.title)
                return book.title == title
            }
            return asked
        }

        func first(of book: Cached<Book>, _ clock: ManualClock) async throws -> Book {
            try await book.first(timeout: .seconds(1), clock: clock) { $0.title == "A" }
        }
    }

    let cache = Cache()

    @Test func conditionIsTestedOnTheMainActorOfItsCaller() async throws {
        let screen = Screen()
        async let asked = screen.wait(for: "B", of: cache.cached(Book.self, id: 1))
        _ = await until { cache.core.watchedCount == 1 }
        for title in ["A", "B"] { cache.set(Book(id: 1, title: title)) }
        let all = try await asked
        #expect(all == ["A", "B"])
    }

    @Test func conditionIsTestedOnTheActorOfItsCaller() async throws {
        let service = Service()
        async let asked = service.wait(for: "B", of: cache.cached(Book.self, id: 1))
        _ = await until { cache.core.watchedCount == 1 }
        for title in ["A", "B"] { cache.set(Book(id: 1, title: title)) }
        let all = try await asked
        #expect(all == ["A", "B"])
    }

    @Test func actorsMayWaitForALimitedTime() async throws {
        let clock = ManualClock()
        cache.set(Book(id: 1, title: "A"))
        let book = cache.cached(Book.self, id: 1)
        let values = [
            try await Screen().value(of: book, clock),
            try await Screen().first(of: book, clock),
            try await Service().first(of: book, clock),
        ]
        #expect(values.map(\.title) == ["A", "A", "A"])
    }
}
