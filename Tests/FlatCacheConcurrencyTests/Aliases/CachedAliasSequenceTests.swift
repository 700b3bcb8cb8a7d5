import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.timeLimit(.minutes(15)))
struct CachedAliasSequenceTests {
    let cache = Cache()

    init() {
        cache.set(Book(id: 1))
        cache.currentUser.set(Author(id: "lem", name: "Lem", books: [Related(1)]))
    }

    @Test func currentTargetPrecedesEachChange() async {
        var values = cache.currentUser.values.makeAsyncIterator()
        #expect(await values.next()??.name == "Lem")
        cache.set(Author(id: "lem", name: "Stanisław Lem", books: [Related(1)]))
        #expect(await values.next()??.name == "Stanisław Lem")
        cache.currentUser.target = nil
        #expect(await values.next() == .some(nil))
        cache.currentUser.set(Author(id: "le-guin", name: "Le Guin"))
        #expect(await values.next()??.name == "Le Guin")
    }

    @Test func firstElementOfAnAliasWithoutATargetIsNil() async {
        var values = cache.featuredBook.values.makeAsyncIterator()
        #expect(await values.next() == .some(nil))
        cache.featuredBook.target = 1
        #expect(await values.next() == .some(Book(id: 1)))
    }

    @Test func slowConsumerReceivesTheNewest() async {
        var values = cache.currentUser.values.makeAsyncIterator()
        for number in 0..<50 {
            cache.currentUser.set(Author(id: "author \(number)", name: "\(number)"))
        }
        #expect(await values.next()??.name == "49")
    }

    @Test func relationshipsOfTheTargetAreFollowedToTheGivenDepth() async {
        var all = cache.currentUser.values.makeAsyncIterator()
        var none = cache.currentUser.following(.none).values.makeAsyncIterator()
        _ = await (all.next(), none.next())
        cache.set(Book(id: 1, title: "Solaris"))
        #expect(await all.next()??.name == "Lem")
        cache.set(Author(id: "lem", name: "Stanisław Lem"))
        #expect(await none.next()??.name == "Stanisław Lem")
    }

    @Test func sequenceEndsWithTheCacheAfterAllCommits() async {
        var cache: Cache? = Cache()
        let sequence = cache?.currentUser.values
        var values = sequence?.makeAsyncIterator()
        cache?.currentUser.set(Author(id: "lem", name: "Lem"))
        cache = nil
        #expect(await values?.next()??.name == "Lem")
        #expect(await values?.next() == nil)
        var afterwards = sequence?.makeAsyncIterator()
        #expect(await afterwards?.next() == nil)
    }

    /// On the main actor, as here, the consumer is suspended whenever the test runs.
    @MainActor
    @Test func cancellingEndsTheObservationAtOnce() async {
        let hasBegun = Signal()
        let values = cache.currentUser.values
        let consumer = Task {
            for await _ in values { hasBegun.fire() }
        }
        _ = await until { hasBegun.isFired }
        #expect(cache.core.watchedCount == 3)
        consumer.cancel()
        #expect(cache.core.watchedCount == 0)
        await consumer.valueUnlessCancelled
    }
}
