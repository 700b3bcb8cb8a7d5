import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests that a closure that would wait for itself receives an error.
@Suite(.timeLimit(.minutes(20)))
struct LoadCycleTests {
    private let cache = Cache()

    private func key(_ id: Book.ID) -> CacheKey { CacheKey(Book.self, id: id) }

    @Test func closureThatLoadsItsOwnKeyReceivesAnError() async throws {
        await #expect(throws: LoadError.cycle(key(1))) {
            try await cache.load(Book.self, id: 1) { [cache] in
                try await cache.load(Book.self, id: 1) { Book(id: 1) }
            }
        }
        #expect(try await cache.load(Book.self, id: 1) { Book(id: 1) } == Book(id: 1))
    }

    @Test func closuresThatLoadEachOthersKeysReceiveAnError() async {
        await #expect(throws: LoadError.cycle(key(1))) {
            try await cache.load(Book.self, id: 1) { [cache] in
                try await cache.load(Book.self, id: 2) {
                    try await cache.load(Book.self, id: 1) { Book(id: 1) }
                }
            }
        }
    }

    @Test func loaderThatLoadsItsOwnKeyReceivesAnError() async {
        cache.setLoader(for: Book.self, gathering: .zero) { [cache] ids in
            Array(try await cache.load(Book.self, ids: ids).values)
        }
        await #expect(throws: LoadError.cycle(key(1))) {
            try await cache.load(Book.self, id: 1)
        }
        await #expect(throws: LoadError.self) {
            try await cache.load(Book.self, ids: [1, 2])
        }
    }

    @Test func requestThatLoadsItsOwnNameReceivesAnErrorWithTheName() async throws {
        let error = await #expect(throws: LoadError.self) {
            try await cache.load("books?page=2") { [cache] in
                try await cache.load("books?page=2") { 1 }
            }
        }
        #expect(try #require(error).description.contains("books?page=2"))
    }

    @Test func closureMayLoadOtherKeys() async throws {
        let book = try await cache.load(Book.self, id: 1) { [cache] in
            let other = try await cache.load(Book.self, id: 2) { Book(id: 2, title: "Tehanu") }
            return Book(id: 1, title: other?.title)
        }
        #expect(book?.title == "Tehanu")
    }

    @Test func closureMayLoadItsKeyInAnotherCache() async throws {
        let other = Cache()
        let book = try await cache.load(Book.self, id: 1) {
            try await other.load(Book.self, id: 1) { Book(id: 1) }
        }
        #expect(book == Book(id: 1))
    }

    /// Later loads don't join the call, so the inner load makes one of its own.
    @Test func closureMayLoadItsKeyAfterARemoval() async throws {
        let book = try await cache.load(Book.self, id: 1) { [cache] in
            cache.set(Book(id: 1))
            cache.remove(Book.self, id: 1)
            return try await cache.load(Book.self, id: 1) { Book(id: 1, title: "Tehanu") }
        }
        #expect(book?.title == "Tehanu")
    }

    @Test func taskOfAClosureMayLoadItsKeyAfterTheCall() async throws {
        let gate = AsyncStream<Void>.makeStream()
        let tasks = Recorder<Task<Book?, any Error>>()
        _ = try await cache.load(Book.self, id: 1) { [cache] in
            tasks.append(
                Task {
                    for await _ in gate.stream { break }
                    return try await cache.load(Book.self, id: 1, policy: .networkOnly) {
                        Book(id: 1, title: "Tehanu")
                    }
                }
            )
            return Book(id: 1)
        }
        gate.continuation.yield()
        #expect(try await tasks.all[0].value?.title == "Tehanu")
    }
}
