import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests which tasks that begin in the closure of a load may wait for the closure's own call.
@Suite(.timeLimit(.minutes(15)))
struct EnclosingCallsTests {
    private let cache = Cache()
    private let server = HeldServer<String, String>()
    private let tasks = Recorder<Task<Book?, any Error>>()

    private var waiterCount: Int {
        cache.core.loads.waiterCount(for: CacheKey(Book.self, id: 1))
    }

    @Test("A task that an observer starts during a nested load may join the call")
    func observerDuringANestedLoad() async throws {
        let token = cache.cached(Author.self, id: "a").observe { [cache, tasks] _ in
            tasks.append(Task { try await cache.load(Book.self, id: 1) { Book(id: 1) } })
        }
        let load = Task {
            try await cache.load(Book.self, id: 1) { [cache, server] in
                // The store of the author notifies the observer.
                _ = try await cache.load(Author.self, id: "a") { Author(id: "a", name: "A") }
                return Book(id: 1, title: try await server.response(to: "title"))
            }
        }
        #expect(await until { waiterCount == 2 && server.requests == ["title"] })
        server.answer("Tehanu")
        #expect(try await load.value?.title == "Tehanu")
        #expect(try await tasks.all.first?.value?.title == "Tehanu")
        token.dispose()
    }

    @Test("A load in the background may wait for the call whose closure has started it")
    func backgroundLoad() async throws {
        cache.set(Author(id: "a", name: "A"))
        cache.invalidate(Author.self, id: "a")
        let load = Task {
            try await cache.load(Book.self, id: 1) { [cache, server] in
                _ = try await cache.load(Author.self, id: "a", policy: .staleWhileRevalidate) {
                    let book = try await cache.load(Book.self, id: 1) { nil }
                    return Author(id: "a", name: book?.title ?? "")
                }
                return Book(id: 1, title: try await server.response(to: "title"))
            }
        }
        #expect(await until { waiterCount == 2 && server.requests == ["title"] })
        server.answer("Tehanu")
        #expect(try await load.value?.title == "Tehanu")
        #expect(await until { cache.get(Author.self, id: "a")?.name == "Tehanu" })
    }

    @Test("A request in the background may wait for the call whose closure has started it")
    func backgroundRequest() async throws {
        _ = try await cache.load("title") { "old" }
        cache.invalidate(request: "title")
        let load = Task {
            try await cache.load(Book.self, id: 1) { [cache, server] in
                _ = try await cache.load("title", policy: .staleWhileRevalidate) {
                    try await cache.load(Book.self, id: 1) { nil }?.title ?? ""
                }
                return Book(id: 1, title: try await server.response(to: "title"))
            }
        }
        #expect(await until { waiterCount == 2 && server.requests == ["title"] })
        server.answer("Tehanu")
        #expect(try await load.value?.title == "Tehanu")
        #expect(try await cache.load("title") { "" } == "Tehanu")
    }

    /// Loads requests, each in a task that the closure of the former one starts.
    private static func loadChain(
        _ number: Int,
        upTo count: Int,
        in cache: Cache,
        recording depths: Recorder<Int>
    ) async throws {
        _ = try await cache.load("\(number)") {
            depths.append(EnclosingCalls.present.count)
            if number < count {
                Task {
                    // The former call has ended when the next one begins.
                    _ = await until { cache.core.loads.isIdle }
                    try await loadChain(number + 1, upTo: count, in: cache, recording: depths)
                }
            }
            return number
        }
    }

    @Test func callsThatHaveEndedEncloseNoLaterCalls() async throws {
        let depths = Recorder<Int>()
        try await Self.loadChain(1, upTo: 20, in: cache, recording: depths)
        #expect(await until { depths.count == 20 })
        #expect(Set(depths.all) == [1])
    }
}
