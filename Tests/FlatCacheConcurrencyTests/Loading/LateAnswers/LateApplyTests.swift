import FlatCacheTesting
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of the writes that requests make beside their responses, while other requests run.
@Suite(.timeLimit(.minutes(20)))
struct LateApplyTests {
    private let cache = Cache()
    private let server = HeldServer<String, Int>()

    /// Begins a request, and waits until its call has begun.
    private func begin(
        _ name: String,
        apply: @escaping @Sendable (CacheBatch) -> Void
    ) async -> Task<Int, any Error> {
        let count = server.requests.count
        let task = Task { [cache, server] in
            try await cache.load(name) {
                try await server.response(to: name)
            } apply: { batch, _ in
                apply(batch)
            }
        }
        #expect(await until { server.requests.count == count + 1 })
        return task
    }

    @Test("The writes of an earlier request don't outdate those of a later one")
    func earlierRequest() async throws {
        let (list, alias) = (cache.list("shelf", of: Book.self), cache.alias("new", of: Book.self))
        cache.set(Book(id: 1, title: "old"))
        let earlier = await begin("earlier") { batch in
            batch.list("shelf", of: Book.self).replace(withIDs: [1])
            batch.alias("new", of: Book.self).target = nil
            batch.remove(Book.self, id: 1)
        }
        let later = await begin("later") { batch in
            batch.list("shelf", of: Book.self).replace(withIDs: [2])
            batch.alias("new", of: Book.self).target = 2
            batch.set(Book(id: 1, title: "new"))
        }
        server.answer(0, 0)
        _ = try await earlier.value
        #expect(list.ids == [1] && cache.count(of: Book.self) == 0)
        server.answer(1, 0)
        _ = try await later.value
        #expect(list.ids == [2] && alias.target == 2)
        #expect(cache.get(Book.self, id: 1)?.title == "new")
    }

    @Test("The writes of a later request outdate those of an earlier one")
    func laterRequest() async throws {
        let list = cache.list("shelf", of: Book.self)
        let earlier = await begin("earlier") { batch in
            batch.list("shelf", of: Book.self).replace(withIDs: [1])
            batch.set(Book(id: 1))
        }
        let later = await begin("later") { batch in
            batch.list("shelf", of: Book.self).replace(withIDs: [])
            batch.remove(Book.self, id: 1)
        }
        server.answer(1, 0)
        _ = try await later.value
        server.answer(0, 0)
        _ = try await earlier.value
        #expect(list.ids.isEmpty && cache.count(of: Book.self) == 0)
    }

    @Test func removalOfAllIsLaterThanTheRequestThatMakesIt() async throws {
        let earlier = await begin("earlier") { $0.removeAll(Book.self) }
        let later = await begin("later") { $0.set(contentsOf: [Book(id: 1), Book(id: 2)]) }
        cache.set(Book(id: 1, title: "newer"))
        server.answer(0, 0)
        _ = try await earlier.value
        server.answer(1, 0)
        _ = try await later.value
        #expect(cache.get(Book.self, id: 1) == Book(id: 1, title: "newer"))
        #expect(cache.count(of: Book.self) == 1)
    }

    @Test func restartOfAListIsForgottenWithTheLastRequest() async throws {
        let load = await begin("page") { $0.list("shelf", of: Book.self).replace(withIDs: [1]) }
        server.answer(0, 0)
        _ = try await load.value
        #expect(await until { cache.hasForgottenLoads })
    }
}
