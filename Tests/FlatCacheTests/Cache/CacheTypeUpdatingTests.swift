import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the update of a value that may be missing.
struct CacheTypeUpdatingTests {
    let cache = Cache()

    @Test func updateChangesTheStoredValueOrTheDefault() {
        let calls = Recorder<Int?>()
        let token = cache.cached(Book.self, id: 1).observe { calls.append($0.year) }
        func add(to cache: some CacheType) -> Int? {
            cache.update(Book.self, id: 1, default: Book(id: 1, year: 10)) {
                $0.year = ($0.year ?? 0) + 1
            }.year
        }
        let version = cache.version
        #expect(add(to: cache) == 11)
        #expect(add(to: cache) == 12)
        #expect(cache.version == version + 2)
        cache.performBatchUpdates { batch in
            #expect(add(to: batch) == 13)
            batch.remove(Book.self, id: 1)
            #expect(add(to: batch) == 11)
        }
        #expect(calls.all == [11, 12, 11])
        withExtendedLifetime(token) {}
    }

    @Test func defaultIsNotEvaluatedIfThereIsAValue() {
        cache.set(Book(id: 1, title: "A"))
        let evaluated = Recorder<Int>()
        func makeBook() -> Book {
            evaluated.append(1)
            return Book(id: 1)
        }
        cache.update(Book.self, id: 1, default: makeBook()) { $0.year = 1 }
        #expect(cache[Book.self, 1] == Book(id: 1, title: "A", year: 1))
        #expect(evaluated.count == 0)
    }

    @Test func resultIsNotMergedIntoAValueThatTheClosureStores() {
        let updated = cache.update(Profile.self, id: 1, default: Profile(id: 1)) { [cache] in
            cache.set(Profile(id: 1, mail: "mail"))
            $0.name = "Name"
        }
        #expect(updated == Profile(id: 1, name: "Name"))
        #expect(cache[Profile.self, 1] == updated)
    }

    @Test func updateThatThrowsStoresNothing() {
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            try cache.update(Book.self, id: 1, default: Book(id: 1)) { [cache] _ in
                cache.set(Book(id: 2))
                throw Refused()
            }
        }
        #expect(cache.count(of: Book.self) == 0)
    }

    @Test func defaultWithAnotherIdentifierTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            Cache().update(Book.self, id: 1, default: Book(id: 2)) { _ in }
        }
        let message = try #require(result?.message)
        #expect(message.contains("update(_:id:default:_:) for Book(1) made Book(2)."))
    }
}
