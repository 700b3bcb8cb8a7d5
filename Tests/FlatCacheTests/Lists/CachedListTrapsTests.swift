import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CachedListTrapsTests {
    @Test func insertingAtANegativeIndex() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            cache.list("list", of: Book.self).insert(Book(id: 1), at: -1)
        }
        let message = try #require(result?.message)
        #expect(message.contains("placed at -1"))
    }

    @Test func movingToANegativeIndex() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            let list = cache.list("list", of: Book.self)
            list.replace(with: [Book(id: 1), Book(id: 2)])
            list.move(1, to: -7)
        }
        let message = try #require(result?.message)
        #expect(message.contains("placed at -7"))
    }

    @Test func observingWithANegativeNumberOfLevels() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            // One level more, for the elements themselves, would make this zero levels.
            _ = cache.list("list", of: Book.self).following(.levels(-1)).observe { _ in }
        }
        let message = try #require(result?.message)
        #expect(message.contains("levels(-1)"))
    }

    @Test func changingAListInTheMiddleOfAMerge() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            let list = cache.list("list", of: Book.self)
            cache.set(CallbackEntity(id: 1))
            cache.set(CallbackEntity(id: 1, moment: .merging) { list.ids = [1] })
        }
        let message = try #require(result?.message)
        #expect(message.contains("update(_:) of a list was called from merged(with:)"))
    }
}
