import Dispatch
import FlatCacheTesting
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of the entities that a response contains.
@Suite(.timeLimit(.minutes(20)))
struct RequestEntitiesTests {
    private let run: RequestRun
    private var cache: Cache { run.cache }

    init() { run = RequestRun { $0.limit(Book.self, .count(3)) } }

    private func load(_ response: ShelfPage, _ name: String = "page") async throws {
        let call = run.server.requests.count
        let load = Task { try await run.request(name).reload() }
        #expect(await run.hasCalls(call + 1))
        run.server.answer(call, response)
        _ = try await load.value
    }

    @Test func changesOfEntitiesNotifyObservers() async throws {
        try await load(ShelfPage(1, 2))
        let values = Recorder<ShelfPage>()
        let token = run.request().observe { values.append($0) }
        cache.set(Book(id: 2, title: "Tehanu"))
        #expect(values.all == [ShelfPage(1, 2)])
        cache.set(Book(id: 3, title: "Solaris"))
        #expect(values.count == 1)
        cache.remove(Book.self, id: 1)
        #expect(values.count == 2)
        #expect(run.request().value == ShelfPage(1, 2))
        token.dispose()
    }

    @Test("An equal response notifies observers only if an entity has changed")
    func equalResponse() async throws {
        try await load(ShelfPage(1))
        let values = Recorder<ShelfPage>()
        let changes = Recorder<ValueChange<ShelfPage?>>()
        let tokens = [
            run.request().observe { values.append($0) },
            run.request().observeChanges { changes.append($0) },
        ]
        try await load(ShelfPage(1))
        run.request().invalidate()
        #expect(await run.hasCalls(3))
        run.server.answer(2, ShelfPage(1))
        #expect(await run.isIdle(run.request()))
        #expect(values.count == 0 && changes.count == 0)
        cache.set(Book(id: 1, title: "changed"))
        #expect(values.count == 1)
        // The function brings the former title, in the commit of the equal response.
        try await load(ShelfPage(1))
        #expect(values.count == 2 && changes.count == 2)
        try await load(ShelfPage(1, note: "new"))
        #expect(values.count == 3)
        #expect(changes.all.last?.old == ShelfPage(1))
        #expect(changes.all.last?.new == ShelfPage(1, note: "new"))
        withExtendedLifetime(tokens) {}
    }

    @Test func responseThatCannotBeComparedAlwaysNotifies() async throws {
        struct Opaque: Sendable { var text = "" }
        let request = cache.request("opaque") { Opaque() }
        try await request.load()
        let calls = Recorder<Void>()
        let token = request.observe { _ in calls.append(()) }
        try await request.reload()
        try await request.reload()
        #expect(calls.count == 2)
        // An invalidation brings no response.
        let pause = cache.pauseLoads()
        request.invalidate()
        #expect(calls.count == 2)
        token.dispose()
        pause.dispose()
    }

    @Test func observedRequestHoldsItsEntities() async throws {
        try await load(ShelfPage(1, 2))
        let token = run.request().observe { _ in }
        cache.set(contentsOf: (10..<20).map { Book(id: $0) })
        #expect(cache.contains(Book.self, id: 1) && cache.contains(Book.self, id: 2))
        #expect(run.request().value == ShelfPage(1, 2))
        token.dispose()
        cache.set(contentsOf: (20..<30).map { Book(id: $0) })
        #expect(!cache.contains(Book.self, id: 1))
        #expect(run.request().value == nil)
    }

    @Test func observedProjectionHoldsTheEntitiesOfItsResponse() async throws {
        try await load(ShelfPage(1, 2))
        let first = run.request().map { page, cache in page.books.first?.value(in: cache)?.title }
        let titles = Recorder<String?>()
        let token = first.observe(initial: true) { titles.append($0) }
        cache.set(contentsOf: (10..<20).map { Book(id: $0) })
        #expect(run.request().value == ShelfPage(1, 2))
        cache.set(Book(id: 1, title: "Tehanu"))
        #expect(titles.all == ["book 1", "Tehanu"])
        token.dispose()
    }

    @Test func projectionLoads() async throws {
        let note = run.request().map(\.note)
        #expect(note.value == nil)
        let token = note.observe { _ in }
        #expect(await run.hasCalls(1))
        run.server.answer(ShelfPage(1, note: "x"))
        #expect(await until { note.value == "x" })
        token.dispose()
    }

    @Test func evictionOfAnEntityEvictsTheResponse() async throws {
        try await load(ShelfPage(1, 2))
        try await load(ShelfPage(3), "other")
        #expect(run.request().value != nil)
        cache.set(Book(id: 4))
        // One of the books is evicted.
        let evicted = try #require((1...3).first { !cache.contains(Book.self, id: $0) })
        #expect((run.request().value == nil) == (evicted < 3))
        #expect((run.request("other").value == nil) == (evicted == 3))
        cache.trim(to: .count(0))
        #expect(cache.requests.isEmpty)
        cache.core.checkInvariants()
    }

    @Test func responseWithMoreEntitiesThanTheLimitIsMissingUnlessItIsObserved() async throws {
        try await load(ShelfPage(1, 2, 3, 4, 5))
        #expect(run.request().value == nil)
        let token = run.request().observe { _ in }
        #expect(await run.hasCalls(2))
        run.server.answer(1, ShelfPage(1, 2, 3, 4, 5))
        #expect(await run.isIdle(run.request()))
        #expect(run.request().value != nil)
        token.dispose()
    }

    @Test func responseThatIsEvictedAtOnceLeavesNothingBehind() async throws {
        try await load(ShelfPage(1, 2, 3, 4, 5))
        #expect(cache.requests.isEmpty)
        #expect(cache.core.withWriterLock("a test") { $0.responses.isEmpty })
    }

    @Test func removalOfAnEntityKeepsTheResponse() async throws {
        try await load(ShelfPage(1, 2))
        cache.remove(Book.self, id: 1)
        #expect(run.request().value == ShelfPage(1, 2))
        cache.removeAll(Book.self)
        #expect(run.request().freshness.isFresh)
        cache.removeAll()
        #expect(run.request().value == nil)
        #expect(cache.core.writer.responses.isEmpty)
    }

    @Test func laterResponseReplacesTheEntitiesOfTheEarlierOne() async throws {
        try await load(ShelfPage(1))
        try await load(ShelfPage(2))
        cache.trim(to: .count(0))
        #expect(run.request().value == nil)
        try await load(ShelfPage(2))
        cache.set(contentsOf: [Book(id: 1), Book(id: 3)])
        cache.remove(Book.self, id: 2)
        cache.set(contentsOf: (10..<20).map { Book(id: $0) })
        // Only the book that was removed belonged to the response.
        #expect(run.request().value == ShelfPage(2))
        #expect(cache.core.writer.responses.names(containing: CacheKey(Book.self, id: 1)).isEmpty)
    }

    @Test("A response is loaded again if its eviction is published after an observation began")
    func lateEviction() async throws {
        try await load(ShelfPage(1, 2))
        let page = run.request()
        let token = Locked<Disposable?>(nil)
        cache.performBatchUpdates { _ in
            cache.pruneUnobservedValues()
            let group = DispatchGroup()
            DispatchQueue.global().async(group: group) {
                let observation = page.observe { _ in }
                token.withLock { $0 = observation }
            }
            group.wait()
        }
        #expect(page.value == nil)
        #expect(await run.hasCalls(2))
        run.server.answer(1, ShelfPage(1))
        #expect(await run.isIdle(page))
        #expect(page.value == ShelfPage(1))
        token.withLock { $0.take() }?.dispose()
    }
}
