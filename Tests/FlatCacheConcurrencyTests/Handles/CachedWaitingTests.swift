import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests waiting for a value without a timeout.
@MainActor
@Suite(.exclusive, .timeLimit(.minutes(15)))
struct CachedWaitingTests {
    let cache = Cache()
    let book: Cached<Book>

    init() {
        book = cache.cached(Book.self, id: 1)
    }

    /// Starts a task that waits for a title, and returns when the task has begun its observation.
    private func beginWaiting(for title: String) async -> Task<Book, any Error> {
        let task = Task { [book] in try await book.first { $0.title == title } }
        _ = await until { cache.core.watchedCount > 0 }
        return task
    }

    @Test func storedValueIsReturned() async throws {
        cache.set(Book(id: 1, title: "A"))
        var asked: [String?] = []
        let found = try await book.first { book in
            asked.append(book.title)
            return book.title == "A"
        }
        #expect(found.title == "A")
        #expect(asked == ["A"])
        #expect(cache.core.watchedCount == 0)
    }

    @Test func laterValueIsReturned() async throws {
        let task = await beginWaiting(for: "B")
        cache.set(Book(id: 1, title: "A"))
        cache.set(Book(id: 1, title: "B"))
        #expect(try await task.value.title == "B")
        #expect(cache.core.watchedCount == 0)
    }

    @Test(arguments: ["A", "B", "C", "D"])
    func valueThatIsReplacedAtOnceIsNotMissed(title: String) async throws {
        let task = await beginWaiting(for: title)
        for title in ["A", "B", "C", "D"] { cache.set(Book(id: 1, title: title)) }
        cache.removeAll()
        #expect(try await task.value.title == title)
        #expect(cache.core.watchedCount == 0)
    }

    @Test func conditionIsTestedWithEachValueInOrderUntilItHolds() async throws {
        let asked = Recorder<String>()
        let task = Task { [book] in
            try await book.first { book in
                asked.append(book.title ?? "-")
                return book.title == "C"
            }
        }
        #expect(await until { cache.core.watchedCount == 1 })
        cache.set(Book(id: 1, title: "A"))
        cache.remove(Book.self, id: 1)
        for title in ["B", "C", "D"] { cache.set(Book(id: 1, title: title)) }
        _ = try await task.value
        #expect(asked.all == ["A", "B", "C"])
    }

    @Test func errorsOfTheConditionAreRethrown() async {
        struct Refusal: Error {}
        cache.set(Book(id: 1))
        await #expect(throws: Refusal.self) {
            _ = try await book.first { _ in throw Refusal() }
        }
        #expect(cache.core.watchedCount == 0)
    }

    @Test func cancellingEndsWaitingAndTheObservationAtOnce() async {
        cache.set(Book(id: 1, title: "A"))
        let task = await beginWaiting(for: "B")
        #expect(cache.core.watchedCount == 1)
        task.cancel()
        #expect(cache.core.watchedCount == 0)
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test func taskCancelledBeforeItsStartReceivesNoStoredValue() async {
        cache.set(Book(id: 1, title: "A"))
        let asked = Recorder<Int>()
        let task = Task { [book] in
            try await book.first { book in
                asked.append(book.id)
                return true
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(asked.all.isEmpty)
        #expect(cache.core.watchedCount == 0)
    }

    @Test func waitingEndsWithTheCache() async {
        var cache: Cache? = Cache()
        let core = cache?.core
        let task = cache?.cached(Book.self, id: 7).waitForTitle("A")
        #expect(await until { core?.watchedCount == 1 })
        weak let weakCache = cache
        cache = nil
        #expect(weakCache == nil)
        await #expect(throws: WaitingError.cacheDeallocated("Cached Book(7)")) {
            _ = try await task?.value
        }
    }

    @Test func commitsBeforeTheCacheIsReleasedStillCount() async throws {
        var cache: Cache? = Cache()
        let core = cache?.core
        let task = cache?.cached(Book.self, id: 7).waitForTitle("A")
        #expect(await until { core?.watchedCount == 1 })
        for title in ["Z", "A", "B"] { cache?.set(Book(id: 7, title: title)) }
        cache = nil
        #expect(try await task?.value.title == "A")
    }

    @Test func waitingOnAReleasedCacheThrows() async {
        var cache: Cache? = Cache()
        cache?.set(Book(id: 7))
        let handle = cache?.cached(Book.self, id: 7)
        cache = nil
        await #expect(throws: WaitingError.cacheDeallocated("Cached Book(7)")) {
            _ = try await handle?.first { _ in true }
        }
    }

    @Test func conditionIsTestedAgainWhenARelatedEntityChanges() async throws {
        cache.set(Book(id: 1, title: "A", author: "le-guin"))
        let task = Task { [book, cache] in
            try await book.first { $0.author?.cached(in: cache).value?.name == "Ursula" }
        }
        #expect(await until { cache.core.watchedCount == 2 })
        cache.set(Author(id: "le-guin", name: "U."))
        cache.set(Author(id: "le-guin", name: "Ursula"))
        #expect(try await task.value.title == "A")
    }

    @Test func relationshipsAreFollowedToTheGivenDepth() async throws {
        cache.set(contentsOf: Station.chain(3))
        let asked = Recorder<Int>()
        let station = cache.cached(Station.self, id: 0)
        let task = Task {
            try await station.following(.levels(1)).first { station in
                asked.append(station.revision)
                return station.revision == 1
            }
        }
        #expect(await until { asked.count == 1 })
        for id in [2, 1, 0] { cache.touch(id) }
        #expect(try await task.value.revision == 1)
        #expect(asked.all == [0, 0, 1])
    }

    @Test func conditionMayWrite() async throws {
        cache.set(Station(id: 1))
        let station = try await cache.cached(Station.self, id: 1).first { [cache] station in
            cache.touch(1)
            return station.revision == 100
        }
        #expect(station.revision == 100)
        #expect(cache[Station.self, 1]?.revision == 101)
    }

    @Test func manyMayWaitForOneValue() async throws {
        let tasks = (0..<50).map { number in
            Task.detached { [book] in try await book.first { $0.year ?? 0 >= number }.year }
        }
        let counter = RunningThread { [cache] in
            for year in 0..<100 { cache.set(Book(id: 1, year: year)) }
        }
        for (number, task) in tasks.enumerated() { #expect(try await task.value ?? -1 >= number) }
        #expect(counter.wait())
        #expect(cache.isSettled())
        #expect(cache.core.watchedCount == 0)
    }
}

extension Cached<Book> {
    fileprivate func waitForTitle(_ title: String) -> Task<Book, any Error> {
        Task { try await first { $0.title == title } }
    }
}
