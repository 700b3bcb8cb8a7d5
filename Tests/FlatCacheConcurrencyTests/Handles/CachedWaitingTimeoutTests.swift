import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests waiting for a value with a timeout, measured by a manual clock.
@MainActor
@Suite(.timeLimit(.minutes(15)))
struct CachedWaitingTimeoutTests {
    let cache = Cache()
    let clock = ManualClock()
    let book: Cached<Book>

    init() {
        book = cache.cached(Book.self, id: 1)
    }

    /// Starts a task that waits ten seconds for a title, and returns when the timeout is running
    /// and the task has tested the stored value.
    private func beginWaiting(for title: String) async -> Task<Book, any Error> {
        let asked = Recorder<Int>()
        let isThere = book.value != nil
        let task = Task { [book, clock] in
            try await book.first(timeout: .seconds(10), clock: clock) { book in
                asked.append(book.id)
                return book.title == title
            }
        }
        _ = await until {
            clock.sleeperCount == 1 && (isThere ? asked.count == 1 : cache.core.watchedCount == 1)
        }
        return task
    }

    /// A Boolean value that indicates whether all sleeping tasks and observations have ended.
    private var isIdle: Bool { clock.sleeperCount == 0 && cache.core.watchedCount == 0 }

    @Test func storedValueIsReturned() async throws {
        cache.set(Book(id: 1, title: "A"))
        let value = try await book.first(timeout: .seconds(10), clock: clock)
        let first = try await book.first(timeout: .seconds(10), clock: clock) { $0.title == "A" }
        #expect([value.title, first.title] == ["A", "A"])
        #expect(isIdle)
    }

    @Test func valueInTimeIsReturnedAndEndsTheSleep() async throws {
        let task = await beginWaiting(for: "B")
        clock.advance(by: .seconds(5))
        cache.set(Book(id: 1, title: "A"))
        clock.advance(by: .milliseconds(4999))
        cache.set(Book(id: 1, title: "B"))
        #expect(try await task.value.title == "B")
        #expect(isIdle)
    }

    @Test func waitingEndsWhenTheTimeIsUpAndNotBefore() async {
        cache.set(Book(id: 1, title: "A"))
        let task = await beginWaiting(for: "B")
        clock.advance(by: .milliseconds(9999))
        #expect(clock.sleeperCount == 1)
        #expect(cache.core.watchedCount == 1)
        clock.advance(by: .milliseconds(1))
        let error = WaitingError.timedOut("Cached Book(1)", after: .seconds(10))
        await #expect(throws: error) { _ = try await task.value }
        #expect(isIdle)
    }

    @Test func missingValueEndsInATimeout() async {
        let task = Task { [book, clock] in
            try await book.first(timeout: .milliseconds(30), clock: clock)
        }
        #expect(await until { clock.sleeperCount == 1 })
        clock.advance(by: .seconds(1))
        let error = WaitingError.timedOut("Cached Book(1)", after: .milliseconds(30))
        await #expect(throws: error) { _ = try await task.value }
        #expect(isIdle)
    }

    @Test func firstValueIsReturned() async throws {
        let task = Task { [book, clock] in
            try await book.first(timeout: .seconds(1), clock: clock)
        }
        #expect(await until { cache.core.watchedCount == 1 })
        cache.set(Book(id: 1, title: "A"))
        cache.set(Book(id: 1, title: "B"))
        #expect(try await task.value.title == "A")
        #expect(isIdle)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func storedValueIsReturnedWithoutTime(timeout: Duration) async throws {
        cache.set(Book(id: 1, title: "A"))
        for _ in 0..<300 {
            #expect(try await book.first(timeout: timeout, clock: clock).title == "A")
            #expect(try await book.first(timeout: timeout).title == "A")
        }
        await #expect(throws: WaitingError.timedOut("\(book)", after: timeout)) {
            _ = try await book.first(timeout: timeout, clock: clock) { $0.title == "B" }
        }
        #expect(isIdle)
    }

    @Test func valueStoredAtTheTimeoutIsReturned() async throws {
        for _ in 0..<100 {
            let task = await beginWaiting(for: "B")
            cache.set(Book(id: 1, title: "B"))
            clock.advance(by: .seconds(10))
            #expect(try await task.value.title == "B")
            cache.removeAll()
        }
        #expect(isIdle)
    }

    @Test func realClockMeasuresUnlessAnotherIsGiven() async throws {
        let error = WaitingError.timedOut("\(book)", after: .milliseconds(1))
        await #expect(throws: error) { _ = try await book.first(timeout: .milliseconds(1)) }
        await #expect(throws: error) {
            _ = try await book.first(timeout: .milliseconds(1)) { _ in true }
        }
        cache.set(Book(id: 1, title: "A"))
        #expect(try await book.first(timeout: .seconds(3600)).title == "A")
        #expect(try await book.first(timeout: .seconds(3600)) { _ in true }.title == "A")
    }

    @Test func cancellingEndsWaitingAndBothItsTasks() async {
        cache.set(Book(id: 1, title: "A"))
        let task = await beginWaiting(for: "B")
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(isIdle)
    }

    @Test func taskCancelledBeforeItsStartDoesntWait() async {
        cache.set(Book(id: 1, title: "A"))
        let task = Task { [book, clock] in
            try await book.first(timeout: .seconds(10), clock: clock)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(isIdle)
    }

    @Test func waitingEndsWithTheCacheBeforeTheTimeIsUp() async {
        var cache: Cache? = Cache()
        let handle = cache?.cached(Book.self, id: 7)
        let task = Task { [clock] in
            try await handle?.first(timeout: .seconds(10), clock: clock)
        }
        let core = cache?.core
        #expect(await until { core?.watchedCount == 1 && clock.sleeperCount == 1 })
        cache = nil
        await #expect(throws: WaitingError.cacheDeallocated("Cached Book(7)")) {
            _ = try await task.value
        }
        #expect(clock.sleeperCount == 0)
        await #expect(throws: WaitingError.cacheDeallocated("Cached Book(7)")) {
            _ = try await handle?.first(timeout: .seconds(10), clock: clock)
        }
        #expect(clock.sleeperCount == 0)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .nanoseconds(-1)])
    func extremeTimeouts(timeout: Duration) async throws {
        cache.set(Book(id: 1))
        #expect(try await book.first(timeout: timeout).id == 1)
        cache.remove(Book.self, id: 1)
        if timeout < .zero {
            await #expect(throws: WaitingError.timedOut("\(book)", after: timeout)) {
                _ = try await book.first(timeout: timeout)
            }
        } else {
            let task = Task { [book] in try await book.first(timeout: timeout) }
            #expect(await until { cache.core.watchedCount == 1 })
            cache.set(Book(id: 1))
            #expect(try await task.value.id == 1)
        }
    }

    @Test func errorsOfTheConditionAreRethrown() async {
        struct Refusal: Error {}
        let task = Task { [book, clock] in
            try await book.first(timeout: .seconds(10), clock: clock) { _ in throw Refusal() }
        }
        #expect(await until { cache.core.watchedCount == 1 && clock.sleeperCount == 1 })
        cache.set(Book(id: 1))
        await #expect(throws: Refusal.self) { _ = try await task.value }
        #expect(isIdle)
    }

    @Test func valueIsWaitedForWithoutItsRelationships() async throws {
        cache.set(Author(id: "le-guin", name: "Ursula", books: [Related(2)]))
        let author = cache.cached(Author.self, id: "le-guin")
        let task = Task { [clock] in
            try await author.following(.none).first(timeout: .seconds(1), clock: clock) { author in
                author.name != "Ursula"
            }
        }
        #expect(await until { cache.core.watchedCount > 0 })
        #expect(cache.core.watchedCount == 1)
        cache.update(Author.self, id: "le-guin") { $0.name = "U." }
        #expect(try await task.value.name == "U.")
    }
}
