import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// A page in flight doesn't belong to a list that was emptied, replaced or removed meanwhile, even
/// if that left the list as it was.
@Suite(.timeLimit(.minutes(15)))
struct CachedListRestartTests {
    private struct Failure: Error, Equatable {}

    let cache = Cache()
    let list: CachedList<Book>
    let server = PageServer()

    init() {
        list = cache.list("list", of: Book.self)
    }

    /// Starts a call of `loadNext(_:)`, and waits until its request has arrived.
    private func load() async -> Task<Bool, any Error> {
        let requestCount = server.cursors.count
        let load = Task { [list, server] in
            try await list.loadNext { try await server.request($0) }
        }
        #expect(await until { server.cursors.count == requestCount + 1 })
        return load
    }

    /// Answers a request with a stored book.
    private func answer(_ request: Int, _ id: Int) {
        server.answer(request, ListPage([Book(id: id)], next: "b"))
    }

    private func restart(_ way: Int) {
        switch way {
        case 0:
            list.removeAll()
            cache.removeAll()
        case 1: list.removeAll()
        case 2: list.replace(with: [])
        case 3: list.replace(withIDs: [])
        case 4: cache.removeAll()
        case 5: cache.performBatchUpdates { $0.removeAll() }
        default: cache.performBatchUpdates { $0.list("list", of: Book.self).removeAll() }
        }
    }

    @Test(arguments: 0..<7)
    func firstPageOfAnEmptyListIsDropped(way: Int) async throws {
        let old = await load()
        restart(way)
        answer(0, 1)
        #expect(try await old.value == false)
        #expect(list.ids == [])
        #expect(list.next == .unknown)
        #expect(cache[Book.self, 1] == nil)
        #expect(await until { cache.hasForgottenLoads })
    }

    @Test(arguments: 0..<7)
    func callAfterARestartLoadsAnew(way: Int) async throws {
        let old = await load()
        restart(way)
        let new = await load()
        answer(1, 2)
        #expect(try await new.value)
        answer(0, 1)
        #expect(try await old.value == false)
        #expect(list.ids == [2])
        #expect(cache[Book.self, 1] == nil)
    }

    @Test func firstPageOfAListThatIsReplacedByItselfIsDropped() async throws {
        list.replace(withIDs: [5])
        let load = await load()
        list.replace(withIDs: [5])
        answer(0, 1)
        #expect(try await load.value == false)
        #expect(list.ids == [5])
    }

    @Test func firstPageOfAPrunedListIsDropped() async throws {
        list.append(contentsOf: [Book(id: 5)])
        let load = await load()
        #expect(cache.pruneUnobservedValues() == 2)
        answer(0, 1)
        #expect(try await load.value == false)
        #expect(list.ids == [])
        #expect(cache[Book.self, 1] == nil)
    }

    @Test func pruningKeepsTheFirstPageOfAnObservedList() async throws {
        list.append(contentsOf: [Book(id: 5)])
        let observation = list.observe { _ in }
        let load = await load()
        #expect(cache.pruneUnobservedValues() == 0)
        answer(0, 1)
        #expect(try await load.value)
        #expect(list.ids == [1])
        observation.dispose()
    }

    @Test func firstPageOfAListThatWasRemovedInBetweenIsDropped() async throws {
        let load = await load()
        list.append(contentsOf: [Book(id: 5)])
        cache.removeAll()
        answer(0, 1)
        #expect(try await load.value == false)
        #expect(list.ids == [])
    }

    @Test func restartThatIsRolledBackDropsNothing() async throws {
        let load = await load()
        #expect(throws: Failure()) {
            try cache.performBatchUpdates { batch in
                batch.removeAll()
                batch.list("list", of: Book.self).removeAll()
                throw Failure()
            }
        }
        cache.performBatchUpdates { batch in
            #expect(throws: Failure()) {
                try cache.performBatchUpdates { inner in
                    inner.removeAll()
                    throw Failure()
                }
            }
        }
        answer(0, 1)
        #expect(try await load.value)
        #expect(list.ids == [1])
    }

    @Test func restartDropsNoPageOfAnotherList() async throws {
        let load = await load()
        cache.list("other", of: Book.self).removeAll()
        cache.list("list", of: Author.self).removeAll()
        answer(0, 1)
        #expect(try await load.value)
        #expect(list.ids == [1])
        #expect(cache[Book.self, 1] != nil)
    }
}
