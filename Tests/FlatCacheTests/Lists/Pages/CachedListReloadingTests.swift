import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Reloads of all shown pages.
@Suite(.timeLimit(.minutes(15)))
struct CachedListReloadingTests {
    let cache = Cache()
    let list: CachedList<Book>
    let server = PageServer()

    init() {
        list = cache.list("list", of: Book.self)
    }

    /// Starts a call of `reload(_:)`, and waits until its first request has arrived.
    func reload() async -> Task<Bool, any Error> {
        let count = server.cursors.count
        let reload = Task { [list, server] in
            try await list.reload { try await server.request($0) }
        }
        #expect(await until { server.cursors.count == count + 1 })
        return reload
    }

    /// Answers the latest request, and waits until the following one has arrived.
    func answer(_ ids: [Int], next: String) async {
        let count = server.cursors.count
        server.answer(count - 1, ids, next: next)
        #expect(await until { server.cursors.count == count + 1 })
    }

    /// Answers the latest request.
    func end(_ ids: [Int], next: String?) {
        server.answer(server.cursors.count - 1, ids, next: next)
    }

    func merge(_ ids: [Int], after cursor: String?, next: String?) throws {
        try list.merge(ids.map { Related($0) }, after: cursor, next: next)
    }

    func mergeTwoPages() throws {
        try merge([1, 2], after: nil, next: "b")
        try merge([3, 4], after: "b", next: "c")
    }

    @Test func allShownPagesAreReplacedInOneCommit() async throws {
        try mergeTwoPages()
        try merge([5], after: "c", next: "d")
        let changes = Recorder<ListChange<Book>>()
        let observation = list.observeChanges { changes.append($0) }
        let reload = await reload()
        await answer([9, 1], next: "B")
        await answer([2, 3], next: "C")
        #expect(list.ids == [1, 2, 3, 4, 5])
        end([4], next: "D")
        #expect(try await reload.value)
        #expect(server.cursors == [nil, "B", "C"])
        #expect(list.ids == [9, 1, 2, 3, 4])
        #expect(list.next == .after("D"))
        await cache.waitForObservers()
        #expect(changes.count == 1)
        #expect(cache.core.pageLoads.isIdle)
        // The new cursors are those of the list, and the old ones aren't.
        #expect(throws: CursorError.self) { try merge([7], after: "b", next: nil) }
        try merge([7], after: "B", next: nil)
        #expect(list.ids == [9, 1, 7])
        observation.dispose()
    }

    @Test func lastPageEndsTheReload() async throws {
        try mergeTwoPages()
        try merge([5], after: "c", next: nil)
        let reload = await reload()
        await answer([1], next: "B")
        end([4], next: nil)
        #expect(try await reload.value)
        #expect(server.cursors == [nil, "B"])
        #expect(list.ids == [1, 4])
        #expect(list.next == .end)
    }

    @Test func completeListIsReloadedToItsLastPage() async throws {
        try merge([1], after: nil, next: "b")
        try merge([2], after: "b", next: nil)
        let reload = await reload()
        await answer([1], next: "B")
        end([2], next: "C")
        #expect(try await reload.value)
        #expect(list.next == .after("C"))
    }

    @Test(arguments: [[], [7, 8]])
    func listWithoutPagesLoadsOnePage(ids: [Int]) async throws {
        if !ids.isEmpty { list.ids = ids }
        let reload = await reload()
        end([1], next: "b")
        #expect(try await reload.value)
        #expect(server.cursors == [nil])
        #expect(list.ids == [1])
        #expect(list.next == .after("b"))
    }

    @Test func entitiesOfAllPagesAreStoredInTheCommitOfThePages() async throws {
        try mergeTwoPages()
        let counts = Recorder<[Int]>()
        let token = cache.observeAll(Book.self, initial: false) { [list] _ in
            counts.append([list.ids.count, list.elements.count])
        }
        let isReloaded = try await list.reload { [cache] cursor in
            // One entity is a value of the page, and one is collected.
            let id = cursor == nil ? 1 : 3
            cache.ingest { Ingestion.current?.collect(Book(id: id + 1)) }
            await cache.ingest { await Task.yield() }
            Ingestion.current?.collect(Book(id: id))
            return ListPage([Related(id), Related(id + 1)], next: "next \(id)")
        }
        #expect(isReloaded)
        await cache.waitForObservers()
        #expect(counts.all == [[4, 4]])
        token.dispose()
    }

    @Test func valuesOfPagesAreStored() async throws {
        try mergeTwoPages()
        try await list.reload { cursor in
            let id = cursor == nil ? 1 : 3
            return ListPage([Book(id: id), Book(id: id + 1)], next: "next \(id)")
        }
        #expect(list.elements.map(\.id) == [1, 2, 3, 4])
    }

    @Test("Entities that others wrote or removed meanwhile follow the rules of late answers")
    func lateAnswers() async throws {
        try mergeTwoPages()
        cache.set(Book(id: 2, title: "old"))
        try await list.reload { [cache] cursor in
            guard cursor == nil else { return ListPage([Book(id: 3)], next: "C") }
            cache.set(Book(id: 1, title: "written"))
            cache.remove(Book.self, id: 2)
            return ListPage([1, 2].map { Book(id: $0, title: "late", year: 1) }, next: "B")
        }
        #expect(cache[Book.self, 1] == Book(id: 1, title: "written", year: 1))
        #expect(cache[Book.self, 2] == nil)
        #expect(list.ids == [1, 2, 3])
    }

    @Test("A list that drops removed elements doesn't get them back")
    func droppedElements() async throws {
        var configuration = CacheConfiguration()
        configuration.dropRemovedElements(of: Book.self)
        let cache = Cache(configuration: configuration)
        let list = cache.list("list", of: Book.self)
        try list.merge([1, 2].map { Book(id: $0) }, after: nil, next: nil)
        try await list.reload { _ in
            cache.remove(Book.self, id: 2)
            cache.remove(Book.self, id: 3)
            return ListPage([1, 2, 3, 4].map { Book(id: $0) }, next: nil)
        }
        #expect(list.ids == [1, 4])
    }

    // MARK: Edits

    struct Edit: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The order that the server returns in two pages of equal size.
        let order: [Int]
        let result: [Int]
        let edit: @Sendable (CachedList<Book>) -> Void

        init(
            _ name: String,
            order: [Int] = [1, 2, 3, 4],
            result: [Int],
            _ edit: @escaping @Sendable (CachedList<Book>) -> Void
        ) {
            (testDescription, self.order, self.result, self.edit) = (name, order, result, edit)
        }
    }

    static let edits = [
        Edit("none", order: [4, 9, 2, 1], result: [4, 9, 2, 1]) { _ in },
        Edit("removal", order: [2, 1, 4, 3], result: [1, 4, 3]) { $0.remove(2) },
        Edit("insertion at the start", order: [4, 3, 2, 1], result: [9, 4, 3, 2, 1]) {
            $0.insert(Book(id: 9), at: 0)
        },
        Edit("insertion after a moved row", order: [2, 1, 3, 4], result: [2, 9, 1, 3, 4]) {
            $0.insert(Book(id: 9), at: 2)
        },
        Edit("insertion after a row that is gone", order: [1, 3, 4, 5], result: [1, 9, 3, 4, 5]) {
            $0.insert(Book(id: 9), at: 2)
        },
        Edit("insertion after rows that are gone", order: [5, 6, 3, 4], result: [9, 5, 6, 3, 4]) {
            $0.insert(Book(id: 9), at: 2)
        },
        Edit("insertions of neighbors", result: [1, 8, 9, 2, 3, 4]) {
            $0.insert(Book(id: 9), at: 1)
            $0.insert(Book(id: 8), at: 1)
        },
        Edit(
            "insertion of a row that the server has, too",
            order: [1, 2, 3, 9],
            result: [9, 1, 2, 3]
        ) { $0.insert(Book(id: 9), at: 0) },
        Edit("append", result: [1, 2, 3, 4, 9]) { $0.append(contentsOf: [Book(id: 9)]) },
        Edit("move", order: [4, 2, 1, 3], result: [4, 2, 3, 1]) { $0.move(1, to: 2) },
        Edit("move to the start", result: [4, 1, 2, 3]) { $0.move(4, to: 0) },
        Edit("move of a row that is gone", order: [1, 2, 3, 5], result: [1, 2, 3, 5]) {
            $0.move(4, to: 0)
        },
        Edit("insertion that is removed again", result: [1, 2, 3, 4]) {
            $0.insert(Book(id: 9), at: 2)
            $0.remove(9)
        },
    ]

    @Test(arguments: edits)
    func editsSinceTheReloadBeganApplyToItsResult(edit: Edit) async throws {
        try mergeTwoPages()
        let reload = await reload()
        await answer(Array(edit.order[..<2]), next: "B")
        edit.edit(list)
        end(Array(edit.order[2...]), next: "C")
        #expect(try await reload.value)
        #expect(list.ids == edit.result)
        #expect(list.next == .after("C"))
        list.storage.value?.checkInvariants()
        try merge([7], after: "C", next: nil)
        #expect(list.ids == edit.result + [7])
    }

    @Test func editsBeforeTheReloadDoNotApply() async throws {
        try mergeTwoPages()
        list.remove(2)
        list.insert(Book(id: 9), at: 0)
        let reload = await reload()
        await answer([1, 2], next: "B")
        end([3, 4], next: "C")
        #expect(try await reload.value)
        #expect(list.ids == [1, 2, 3, 4])
    }

    @Test func insertionsIntoAListThatDidNotExistRemain() async throws {
        let reload = await reload()
        list.append(contentsOf: [Book(id: 9)])
        end([1, 2], next: nil)
        #expect(try await reload.value)
        #expect(list.ids == [9, 1, 2])
    }

    // MARK: Dropped results

    private func restart(_ way: Int) throws {
        switch way {
        case 0: list.removeAll()
        case 1: list.replace(withIDs: [1, 2, 3, 4])
        case 2: list.replace(with: [Book(id: 5)])
        case 3: cache.removeAll()
        case 4: try merge([8], after: nil, next: "x")
        case 5: try merge([8], after: "c", next: "d")
        case 6: try merge([8], after: "b", next: nil)
        default: cache.pruneUnobservedValues()
        }
    }

    @Test(arguments: 0..<8)
    func resultIsDroppedAfterAReplacement(way: Int) async throws {
        try mergeTwoPages()
        let reload = await reload()
        try restart(way)
        let (ids, next) = (list.ids, list.next)
        // The reload asks for no further page.
        server.answer(0, ListPage([Book(id: 77)], next: "B"))
        #expect(try await reload.value == false)
        #expect(server.cursors == [nil])
        #expect(list.ids == ids)
        #expect(list.next == next)
        #expect(cache[Book.self, 77] == nil)
        #expect(await until { cache.hasForgottenLoads })
    }

    @Test(arguments: 0..<8)
    func resultIsDroppedAfterAReplacementDuringTheLastRequest(way: Int) async throws {
        try mergeTwoPages()
        let reload = await reload()
        await answer([1], next: "B")
        try restart(way)
        let ids = list.ids
        server.answer(1, ListPage([Book(id: 77)], next: "C"))
        #expect(try await reload.value == false)
        #expect(list.ids == ids)
        #expect(cache[Book.self, 77] == nil)
    }

    @Test(arguments: 0..<4)
    func resultIsDroppedAfterTheRestartOfAnEmptyList(way: Int) async throws {
        let reload = await reload()
        try restart(way)
        let ids = list.ids
        server.answer(0, ListPage([Book(id: 77)], next: nil))
        #expect(try await reload.value == false)
        #expect(list.ids == ids)
        #expect(cache[Book.self, 77] == nil)
    }

    @Test func callAfterARestartReloadsAnew() async throws {
        try mergeTwoPages()
        let old = await reload()
        list.removeAll()
        let new = await reload()
        server.answer(1, [6], next: nil)
        #expect(try await new.value)
        server.answer(0, [1], next: nil)
        #expect(try await old.value == false)
        #expect(list.ids == [6])
    }

    // MARK: Layers

    @Test func layersKeepTheirEditsAboveAReload() async throws {
        try mergeTwoPages()
        let layer = cache.beginLayer("Arrange") { layer in
            let list = layer.list("list", of: Book.self)
            list.prepend(8)
            list.remove(2)
            list.move(4, before: 1)
        }
        #expect(list.ids == [8, 4, 1, 3])
        let reload = await reload()
        await answer([5, 2], next: "B")
        #expect(list.remove(3))
        end([1, 3, 4], next: "C")
        #expect(try await reload.value)
        #expect(list.ids(in: cache.confirmed) == [5, 2, 1, 4])
        #expect(list.ids == [8, 5, 4, 1])
        #expect(list.next == .after("C"))
        layer.rollBack()
        #expect(list.ids == [5, 2, 1, 4])
    }

    @Test func listThatOnlyALayerHasIsReloaded() async throws {
        let layer = cache.beginLayer("Add") { $0.list("list", of: Book.self).append(9) }
        let reload = await reload()
        end([1, 2], next: "b")
        #expect(try await reload.value)
        #expect(list.ids == [1, 2, 9])
        layer.rollBack()
        #expect(list.ids == [1, 2])
    }
}
