import FlatCacheTesting
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of the writes that a request makes with its response.
@Suite(.timeLimit(.minutes(20)))
struct RequestApplyTests {
    private struct Failure: Error, Equatable {}

    private struct Album: CacheEntity, OwnsCachedValues {
        let id: Int

        var ownedCacheKeys: Set<CacheKey> { [CacheKey(Track.self, id: id)] }
    }

    private struct Track: CacheEntity, Equatable {
        let id: Int
    }

    private let run = RequestRun()
    private var cache: Cache { run.cache }
    private var list: CachedList<Book> { cache.list("shelf", of: Book.self) }

    /// A request that makes its books the elements of a list.
    private var request: CachedRequest<ShelfPage> {
        run.request { batch, page in
            batch.list("shelf", of: Book.self).replace(withIDs: page.books.map(\.id))
        }
    }

    /// Begins to load, calls a closure, and answers.
    private func load(
        _ request: CachedRequest<ShelfPage>,
        _ response: ShelfPage = ShelfPage(1, 2),
        meanwhile body: () -> Void = {}
    ) async throws -> ShelfPage {
        let call = run.server.requests.count
        let load = Task { try await request.reload() }
        #expect(await run.hasCalls(call + 1))
        body()
        run.server.answer(call, response)
        return try await load.value
    }

    @Test func writesBelongToTheCommitOfTheResponse() async throws {
        let states = Recorder<[Int]>()
        let versions = Recorder<UInt64>()
        let tokens = [
            list.observeChanges { [list] change in
                versions.append(change.version)
                states.append(list.elements.map(\.id))
            },
            cache.cached(Book.self, id: 1).observeChanges { versions.append($0.version) },
            cache.cached(RequestState.self, id: "page").observeChanges {
                versions.append($0.version)
            },
        ]
        _ = try await load(request)
        #expect(states.all == [[1, 2]])
        #expect(versions.count == 3 && Set(versions.all).count == 1)
        // A named load writes in the same way.
        _ = try await cache.load("other") {
            ShelfPage(2)
        } apply: { batch, page in
            batch.list("shelf", of: Book.self).replace(withIDs: page.books.map(\.id))
        }
        #expect(list.ids == [2])
        withExtendedLifetime(tokens) {}
    }

    @Test func errorStoresNothing() async throws {
        let request = run.request { batch, page in
            batch.set(Book(id: 9))
            throw Failure()
        }
        await #expect(throws: Failure.self) { _ = try await load(request) }
        #expect(request.value == nil)
        #expect(cache.count(of: Book.self) == 0)
        #expect(cache.leaseCount == 0)
        cache.core.checkInvariants()
    }

    @Test func responseThatIsNotKeptWritesNothing() async throws {
        _ = try await load(request, ShelfPage(1))
        #expect(list.ids == [1])
        let response = try await load(request, ShelfPage(2)) { request.invalidate() }
        #expect(response == ShelfPage(2))
        #expect(list.ids == [1])
        _ = try await load(request, ShelfPage(3)) { cache.removeAll() }
        #expect(list.ids.isEmpty)
        #expect(cache.count(of: Book.self) == 0)
    }

    @Test func joinedCallersShareTheWritesOfTheFirst() async throws {
        let calls = Recorder<String>()
        let first = Task { try await run.request { _, _ in calls.append("first") }.load() }
        #expect(await run.hasCalls(1))
        let second = Task { try await run.request { _, _ in calls.append("second") }.load() }
        let key = CacheKey(RequestState.self, id: "page")
        #expect(await until { cache.core.loads.waiterCount(for: key) == 2 })
        run.server.answer(ShelfPage(1))
        _ = try await (first.value, second.value)
        #expect(calls.all == ["first"])
    }

    // MARK: Late writes

    @Test func listThatOthersWroteMeanwhileIsKept() async throws {
        list.replace(withIDs: [5])
        _ = try await load(request) { list.replace(withIDs: [7]) }
        #expect(list.ids == [7])
        _ = try await load(request) { list.removeAll() }
        #expect(list.ids.isEmpty)
        _ = try await load(request) {}
        #expect(list.ids == [1, 2])
        _ = try await load(request, ShelfPage(3)) { list.append(contentsOf: [Book(id: 8)]) }
        #expect(list.ids == [1, 2, 8])
        cache.core.checkInvariants()
    }

    @Test func aliasThatOthersWroteMeanwhileIsKept() async throws {
        let request = run.request { batch, page in
            batch.alias("current", of: Book.self).target = page.books.first?.id
        }
        let alias = cache.alias("current", of: Book.self)
        _ = try await load(request, ShelfPage(1))
        #expect(alias.target == 1)
        _ = try await load(request, ShelfPage(2)) { alias.target = 7 }
        #expect(alias.target == 7)
        _ = try await load(request, ShelfPage(2)) { alias.target = nil }
        #expect(alias.target == nil)
    }

    @Test func entitiesFollowTheRulesOfLateAnswers() async throws {
        let request = run.request { batch, _ in
            batch.set(Book(id: 10, title: "late", year: 1_968))
            batch.set(Author(id: "a", name: "late"))
            batch.remove(Book.self, id: 11)
            batch.update(Book.self, id: 12) { $0.title = "late" }
        }
        cache.set(contentsOf: (10...13).map { Book(id: $0, title: "old") })
        _ = try await load(request) {
            cache.set(Book(id: 10, title: "newer"))
            cache.set(Author(id: "a", name: "newer"))
            cache.set(Book(id: 11, title: "newer"))
            cache.remove(Book.self, id: 12)
        }
        // A mergeable value gets the parts that it lacks.
        #expect(cache.get(Book.self, id: 10) == Book(id: 10, title: "newer", year: 1_968))
        #expect(cache.get(Author.self, id: "a")?.name == "newer")
        #expect(cache.get(Book.self, id: 11)?.title == "newer")
        #expect(!cache.contains(Book.self, id: 12))
        _ = try await load(request) {
            cache.remove(Book.self, id: 10)
            cache.removeAll(Author.self)
        }
        #expect(!cache.contains(Book.self, id: 10))
        #expect(cache.count(of: Author.self) == 0)
        #expect(!cache.contains(Book.self, id: 11))
        cache.core.checkInvariants()
    }

    @Test func invalidatedEntityRemainsStale() async throws {
        let request = run.request { batch, _ in batch.set(Book(id: 10, year: 1_968)) }
        cache.set(Book(id: 10, title: "old"))
        _ = try await load(request) { cache.invalidate(Book.self, id: 10) }
        #expect(cache.get(Book.self, id: 10) == Book(id: 10, title: "old", year: 1_968))
        #expect(cache.freshness(of: Book.self, id: 10).isStale)
    }

    @Test func valueThatIsKeptKeepsItsAge() async throws {
        cache.limit(Author.self, staleAfter: .seconds(10))
        cache.limit(Book.self, staleAfter: .seconds(10))
        let request = run.request { batch, _ in
            batch.set(Author(id: "a", name: "late"))
            batch.set(Book(id: 10, title: "late"))
        }
        let since = cache.now
        _ = try await load(request) {
            cache.set(Author(id: "a", name: "newer"))
            cache.set(Book(id: 10, title: "newer", year: 1_968))
            run.clock.advance(by: .seconds(6))
        }
        #expect(cache.get(Author.self, id: "a")?.name == "newer")
        #expect(cache.freshness(of: Author.self, id: "a") == .fresh(since: since))
        run.clock.advance(by: .seconds(4))
        cache.expireValues()
        #expect(cache.freshness(of: Author.self, id: "a").isStale)
        cache.core.checkInvariants()
    }

    @Test func staleValueThatIsKeptRemainsStale() async throws {
        cache.limit(Author.self, staleAfter: .seconds(10))
        let request = run.request { batch, _ in batch.set(Author(id: "a", name: "late")) }
        let since = cache.now.advanced(by: .seconds(10))
        _ = try await load(request) {
            cache.set(Author(id: "a", name: "newer"))
            run.clock.advance(by: .seconds(16))
        }
        #expect(cache.freshness(of: Author.self, id: "a") == .stale(since: since))
        cache.core.checkInvariants()
    }

    @Test func onlyTheValueThatIsKeptKeepsItsAge() async throws {
        cache.limit(Author.self, staleAfter: .seconds(10))
        let request = cache.request("authors") { [server = run.server] in
            Ingestion.current?.collect(Author(id: "c", name: "decoded"))
            return try await server.response(to: "authors")
        } apply: { batch, _ in
            for id in ["c", "a", "b"] { batch.set(Author(id: id, name: "late")) }
        }
        let since = cache.now
        _ = try await load(request) {
            cache.set(Author(id: "a", name: "newer"))
            run.clock.advance(by: .seconds(6))
        }
        #expect(cache.freshness(of: Author.self, id: "a") == .fresh(since: since))
        for id in ["b", "c"] {
            #expect(cache.freshness(of: Author.self, id: id) == .fresh(since: cache.now))
        }
        cache.core.checkInvariants()
    }

    @Test func failedLoadOfAValueThatIsKeptIsRepeated() async throws {
        cache.setLoader(for: Author.self, gathering: .zero) { _ -> [Author] in throw Failure() }
        cache.set(Author(id: "a", name: "old"))
        let author = cache.cached(Author.self, id: "a").loading()
        let token = author.observe { _ in }
        let request = run.request { batch, _ in batch.set(Author(id: "a", name: "late")) }
        let load = Task { try await request.load() }
        #expect(await run.hasCalls(1))
        cache.invalidate(Author.self, id: "a")
        #expect(await until { author.loadState.nextAttempt != nil })
        run.server.answer(ShelfPage(1))
        _ = try await load.value
        await cache.waitForObservers()
        #expect(author.value?.name == "old")
        #expect(author.freshness.isStale)
        #expect(author.loadState.nextAttempt != nil)
        token.dispose()
    }

    @Test func mergeableValueGetsTheNewerPartsOfTheWrite() async throws {
        let request = run.request { batch, _ in
            batch.set(Book(id: 10, title: "late", year: 1_968))
        }
        cache.set(Book(id: 10, title: "old", year: 1_950))
        _ = try await load(request) { cache.set(Book(id: 10, title: "newer")) }
        // The old year isn't one of the values that were set since the call began.
        #expect(cache.get(Book.self, id: 10) == Book(id: 10, title: "newer", year: 1_968))
        cache.core.checkInvariants()
    }

    @Test func elementsRemovedMeanwhileAreDroppedFromLists() async throws {
        let run = RequestRun { $0.dropRemovedElements(of: Book.self) }
        let list = run.cache.list("shelf", of: Book.self)
        let request = run.request { batch, page in
            batch.list("shelf", of: Book.self).replace(withIDs: page.books.map(\.id))
        }
        run.cache.set(contentsOf: [Book(id: 1), Book(id: 2)])
        let load = Task { try await request.load() }
        #expect(await run.hasCalls(1))
        run.cache.remove(Book.self, id: 2)
        run.server.answer(ShelfPage(1, 2, 3))
        _ = try await load.value
        #expect(list.ids == [1, 3])
        run.cache.core.checkInvariants()
    }

    @Test func invalidationOfAnotherRequestCounts() async throws {
        let other = run.request("other")
        _ = try await load(other)
        let request = run.request { batch, _ in cache.invalidate(request: "other") }
        let running = Task { try await request.load() }
        #expect(await run.hasCalls(2))
        run.clock.advance(by: .seconds(1))
        _ = try await load(other, ShelfPage(3))
        #expect(other.freshness.isFresh)
        run.server.answer(1, ShelfPage(1))
        _ = try await running.value
        #expect(other.value == ShelfPage(3))
        #expect(other.freshness.isStale)
    }

    @Test func stampsDecideBetweenTheWritesAndThoseOfOthers() async throws {
        let request = run.request { batch, _ in
            batch.set(Book(id: 10, title: "9"), modifiedAt: 9)
            batch.set(Book(id: 11, title: "4"), modifiedAt: 4)
            batch.remove(Book.self, id: 12)
        }
        cache.set(Book(id: 12, title: "1"), modifiedAt: 1)
        _ = try await load(request) {
            for id in 10...12 { cache.set(Book(id: id, title: "5"), modifiedAt: 5) }
        }
        #expect((10...12).map { cache.get(Book.self, id: $0)?.title } == ["9", "5", "5"])
        // The stamps are those of the values.
        for id in 10...12 { cache.set(Book(id: id, title: "3"), modifiedAt: 3) }
        #expect((10...12).map { cache.get(Book.self, id: $0)?.title } == ["9", "5", "5"])
        for id in 10...12 { cache.set(Book(id: id, title: "7"), modifiedAt: 7) }
        #expect((10...12).map { cache.get(Book.self, id: $0)?.title } == ["9", "7", "7"])
        cache.core.checkInvariants()
    }

    @Test func removedOwnerThatOthersWroteIsKeptWithItsEntities() async throws {
        let request = run.request { batch, _ in batch.remove(Shelf.self, id: 1) }
        cache.set(contentsOf: [Book(id: 10, title: "owned"), Book(id: 11, title: "owned")])
        cache.set(Shelf(id: 1, books: [10, 11]))
        _ = try await load(request) { cache.set(Shelf(id: 1, books: [10, 11], revision: 1)) }
        #expect(cache.get(Shelf.self, id: 1)?.revision == 1)
        #expect(cache.contains(Book.self, id: 10) && cache.contains(Book.self, id: 11))
        _ = try await load(request)
        #expect(!cache.contains(Book.self, id: 10))
        cache.core.checkInvariants()
    }

    /// An owner of books.
    private struct Shelf: CacheEntity, Equatable, OwnsCachedValues {
        let id: Int
        var books: [Int]
        var revision = 0

        var ownedCacheKeys: Set<CacheKey> { Set(books.map { CacheKey(Book.self, id: $0) }) }
    }

    @Test func layersLieAboveTheWrites() async throws {
        list.replace(withIDs: [1])
        cache.set(Book(id: 1, title: "one"))
        let layer = cache.beginLayer("edit") { edits in
            edits.list("shelf", of: Book.self).append(9)
            edits.update(Book.self, id: 1) { $0.title = "edited" }
        }
        _ = try await load(request, ShelfPage(2, 1))
        #expect(list.ids == [2, 1, 9])
        #expect(cache.get(Book.self, id: 1)?.title == "edited")
        layer.rollBack()
        #expect(list.ids == [2, 1])
        #expect(cache.get(Book.self, id: 1)?.title == "book 1")
        cache.core.checkInvariants()
    }

    @Test func writesOfOthersBeneathALayerAreKept() async throws {
        list.replace(withIDs: [1])
        let layer = cache.beginLayer("edit") { $0.list("shelf", of: Book.self).append(9) }
        _ = try await load(request, ShelfPage(2)) { list.replace(withIDs: [4]) }
        #expect(list.ids == [4, 9])
        layer.rollBack()
        #expect(list.ids == [4])
        cache.core.checkInvariants()
    }

    @Test func entitiesOfARemovedOwnerAreNotStored() async throws {
        cache.set(Album(id: 1))
        let request = run.request { batch, _ in
            batch.set(Album(id: 1))
            batch.set(Track(id: 1))
        }
        _ = try await load(request) { cache.remove(Album.self, id: 1) }
        #expect(!cache.contains(Album.self, id: 1))
        #expect(!cache.contains(Track.self, id: 1))
    }

    @Test func errorIsRemembered() async throws {
        let calls = Recorder<Void>()
        for _ in 1...2 {
            await #expect(throws: Failure.self) {
                try await cache.load("page", rememberingFailures: .seconds(60)) {
                    calls.append(())
                } apply: { _, _ in
                    throw Failure()
                }
            }
        }
        #expect(calls.count == 1)
    }
}
