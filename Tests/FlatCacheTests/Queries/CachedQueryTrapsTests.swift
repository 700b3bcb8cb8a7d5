import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CachedQueryTrapsTests {
    @Test func readingAllValuesOfATypeInACondition() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            cache.set(Book(id: 1))
            _ = cache.query(Book.self).where { _, cache in cache.count(of: Author.self) == 0 }.ids
        }
        let message = try #require(result?.message)
        #expect(message.contains("the number of values of Author"))
    }

    @Test func writingInACondition() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            let query = cache.query(Book.self).where { book in
                if book.id == 2 { cache.set(Note(id: 1, text: "")) }
                return true
            }
            let token = query.keepCurrent()
            cache.set(Book(id: 2))
            withExtendedLifetime(token) {}
        }
        let message = try #require(result?.message)
        #expect(message.contains("a closure of a query of Book,"))
    }

    @Test func writingInAConditionOfARead() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            cache.set(Book(id: 1))
            _ =
                cache.query(Book.self).where { book in
                    cache.set(Book(id: book.id))
                    return true
                }.ids
        }
        let message = try #require(result?.message)
        #expect(message.contains("set(_:) was called from a closure of a query of Book,"))
    }

    @Test func writingInASortKeyOfAFirstRun() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            cache.set(Book(id: 1))
            let query = cache.query(Book.self).sorted { book in
                cache.removeAll(Note.self)
                return book.year
            }
            cache.performBatchUpdates { _ in query.keepCurrent().dispose() }
        }
        let message = try #require(result?.message)
        #expect(message.contains("removeAll(_:) was called from a closure of a query of Book,"))
    }

    @Test func writingInAConditionThatReadsTheChangedEntity() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            cache.set(Book(id: 1, author: "lem"))
            let query = cache.query(Book.self).where { book, reader in
                guard book.author.flatMap({ reader[$0] }) != nil else { return false }
                cache.set(Note(id: 1, text: ""))
                return true
            }
            let token = query.keepCurrent()
            cache.set(Author(id: "lem", name: "Lem"))
            withExtendedLifetime(token) {}
        }
        let message = try #require(result?.message)
        #expect(message.contains("a closure of a query of Book,"))
    }

    @Test func negativeLimits() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { _ = Cache().query(Book.self).limit(-1) }
        #expect(try #require(result?.message).contains("-1 elements"))
    }

    @Test func readingFromAnotherCache() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let query = Cache().query(Book.self)
            Cache().withSnapshot { _ = query.ids(in: $0) }
        }
        #expect(try #require(result?.message).contains("another cache"))
    }
}
