import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of loading lists that are invalidated while a reload is running.
@Suite(.timeLimit(.minutes(20)))
struct InvalidatedReloadTests {
    private let cache = Cache()
    private let server = HeldServer<String?, ListPage<Book>>()

    private var feed: LoadingList<Book> {
        cache.list("feed", of: Book.self).loading { [server] in
            try await server.response(to: $0)
        }
    }

    private func answer(_ call: Int, _ id: Int) async {
        guard await until(limit: .seconds(30), { server.requests.count == call + 1 }) else {
            Issue.record("The page wasn't requested.")
            return
        }
        server.answer(call, ListPage([Book(id: id)], next: nil))
    }

    @Test("A reload after an invalidation requests the pages itself", arguments: [false, true])
    func reloadAfterAnInvalidation(isObserved: Bool) async throws {
        let feed = feed
        let token = isObserved ? feed.observe { _ in } : nil
        let earlier = isObserved ? nil : Task { try await feed.reload() }
        #expect(await until { server.requests.count == 1 })
        // The running reload is outdated.
        feed.invalidate()
        let later = Task { try await feed.reload() }
        #expect(await until { cache.core.loads.callCount == 2 })
        await answer(0, 1)
        await answer(1, 2)
        try await later.value
        try await earlier?.value
        #expect(await until { cache.core.loads.isIdle && !feed.loadState.isLoading })
        #expect(feed.list.ids == [2])
        #expect(feed.freshness.isFresh)
        #expect(server.requests.count == 2)
        token?.dispose()
    }
}
