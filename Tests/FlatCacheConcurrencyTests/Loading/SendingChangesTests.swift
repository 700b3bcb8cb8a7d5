import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the guide's recipe for sending changes.
@Suite(.timeLimit(.minutes(15)))
@MainActor
struct SendingChangesTests {
    @MainActor
    private final class Editor {
        let cache: Cache
        let server: HeldServer<String, Book?>
        private var pendingCounts: [Book.ID: Int] = [:]

        init(_ cache: Cache, _ server: HeldServer<String, Book?>) {
            (self.cache, self.server) = (cache, server)
        }

        func rename(_ id: Book.ID, to title: String) async throws {
            cache.update(Book.self, id: id) { $0.title = title }
            pendingCounts[id, default: 0] += 1
            defer {
                pendingCounts[id, default: 0] -= 1
                if pendingCounts[id] == 0 { cache.invalidate(Book.self, id: id) }
            }
            let name = "rename to \(title)"
            _ = try await cache.load(name, staleAfter: .after(.zero), policy: .networkOnly) {
                [server] in
                try await server.response(to: title)
            }
        }
    }

    private let cache = Cache()
    private let server = HeldServer<String, Book?>()

    @Test func loadsDoNotUndoPendingChanges() async throws {
        let titles = Recorder<String>()
        cache.set(Book(id: 1, title: "0"))
        cache.setLoader(for: Book.self, gathering: .zero) { [server] _ in
            [try await server.response(to: "load")].compactMap { $0 }
        }
        let handle = cache.cached(Book.self, id: 1).loading()
        let token = handle.observe { titles.append($0.title ?? "") }
        let editor = Editor(cache, server)
        var changes: [Task<Void, any Error>] = []
        for title in ["1", "2", "3"] {
            changes.append(Task { try await editor.rename(1, to: title) })
            #expect(await until { server.requests.count == changes.count })
        }
        for index in 0..<2 {
            server.answer(index, Book(id: 1, title: "\(index + 1)"))
            try await changes[index].value
            #expect(handle.loadState.name == "idle")
            #expect(cache[Book.self, 1]?.title == "3")
        }
        server.answer(2, Book(id: 1, title: "3"))
        try await changes[2].value
        #expect(handle.loadState.isLoading)
        #expect(await until { server.requests.count == 4 })
        server.answer(3, Book(id: 1, title: "3"))
        #expect(await until { handle.loadState.name == "idle" })
        #expect(cache.freshness(of: Book.self, id: 1).isFresh)
        #expect(titles.all.prefix(3) == ["1", "2", "3"])
        #expect(titles.all.dropFirst(3).allSatisfy { $0 == "3" })
        token.dispose()
    }
}
