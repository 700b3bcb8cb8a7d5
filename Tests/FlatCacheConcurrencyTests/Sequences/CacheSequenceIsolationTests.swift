import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests consumers on actors, written as by a client: this compiles without annotations.
@Suite(.timeLimit(.minutes(15)))
struct CacheSequenceIsolationTests {
    /// State that isn't `Sendable`, for use by the actor only.
    final class Titles {
        var all: [String?] = []
    }

    @MainActor final class Screen {
        private let titles = Titles()

        func follow(_ book: Cached<Book>, until last: String) async -> [String?] {
            for await book in book.values {
                MainActor.assertIsolated()
                titles.all.append(book?.title)
                if book?.title == last { break }
            }
            return titles.all
        }

        func follow(_ changes: CacheSequence<EntityChange<Book>>, until last: String) async
            -> [String?]
        {
            var iterator = changes.makeAsyncIterator()
            while let change = await iterator.next(isolation: #isolation) {
                MainActor.assertIsolated()
                titles.all.append(change.new?.title)
                if change.new?.title == last { break }
            }
            return titles.all
        }
    }

    actor Service {
        private let titles = Titles()

        func follow(_ book: Cached<Book>, until last: String) async -> [String?] {
            for await book in book.values {
                preconditionIsolated()
                titles.all.append(book?.title)
                if book?.title == last { break }
            }
            return titles.all
        }

        func mirror(_ cache: Cache, until last: String) async -> [String?] {
            for await change in cache.changes(of: Book.self) {
                preconditionIsolated()
                titles.all.append(change.new?.title)
                if change.new?.title == last { break }
            }
            return titles.all
        }
    }

    let cache = Cache()

    /// Writes titles once the consumer has begun to observe.
    private func write(_ titles: [String]) async {
        guard await until({ cache.core.watchedCount == 1 }) else { return }
        for title in titles { cache.set(Book(id: 1, title: title)) }
    }

    @Test func consumerOnTheMainActorGetsItsElementsThere() async {
        let screen = await Screen()
        async let titles = screen.follow(cache.cached(Book.self, id: 1), until: "Z")
        await write(["A", "B", "Z"])
        let last = await titles.last
        #expect(last == "Z")
    }

    @Test func consumerOnTheMainActorGetsItsChangesThere() async {
        let screen = await Screen()
        async let titles = screen.follow(cache.cached(Book.self, id: 1).changes, until: "Z")
        await write(["A", "B", "Z"])
        let all = await titles
        #expect(all == ["A", "B", "Z"])
    }

    @Test func consumerOnAnActorGetsItsElementsThere() async {
        let service = Service()
        async let titles = service.follow(cache.cached(Book.self, id: 1), until: "Z")
        await write(["A", "B", "Z"])
        let last = await titles.last
        #expect(last == "Z")
    }

    @Test func consumerOnAnActorGetsTheChangesOfATypeThere() async {
        let service = Service()
        async let titles = service.mirror(cache, until: "Z")
        let table = cache.core.tables.table(of: Book.self)
        _ = await until {
            cache.core.withWriterLock("test") { _ in table.isObservedAsAWhole }
        }
        for title in ["A", "B", "Z"] { cache.set(Book(id: 1, title: title)) }
        let all = await titles
        #expect(all == ["A", "B", "Z"])
    }

    @Test func severalConsumersOfOneSequenceRunInATaskGroup() async {
        let values = cache.cached(Book.self, id: 1).values
        await withTaskGroup(of: String?.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for await case let book? in values { return book.title }
                    return nil
                }
            }
            await write(["A"])
            for await title in group { #expect(title == "A") }
        }
    }
}
