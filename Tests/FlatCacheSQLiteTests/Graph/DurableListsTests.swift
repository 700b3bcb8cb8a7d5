import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of all lists with a prefix in a file.
struct DurableListsTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    private func graph(
        books: DurableLoading = .onDemand,
        wallClock: @escaping @Sendable () -> Date = { Date() },
        _ lists: DurableLists<Book>,
        and others: DurableList<Book>...
    ) throws -> SQLiteGraph {
        try folder.graph(wallClock: wallClock) {
            Durable(Book.self, "book", load: books)
            lists
            for other in others { other }
        }
    }

    private func searches(
        maximumCount: Int? = nil,
        load loading: DurableLoading = .onDemand
    ) -> DurableLists<Book> {
        DurableLists(
            withPrefix: "search?",
            of: Book.self,
            maximumCount: maximumCount,
            load: loading
        )
    }

    private func attached(_ graph: SQLiteGraph) async throws -> Cache {
        let cache = Cache()
        try await graph.attach(to: cache)
        return cache
    }

    private func books(_ ids: ClosedRange<Int>) -> [Book] {
        ids.map { Book(id: $0, title: "Book \($0)") }
    }

    private func search(_ term: String, in cache: Cache) -> CachedList<Book> {
        cache.list("search?\(term)", of: Book.self)
    }

    private var storedNames: [String] {
        get throws { try folder.run("SELECT id FROM flatcache_lists_book ORDER BY id") }
    }

    /// Writes two lists with the prefix, of which the first one has a page and another to come.
    private func writeLists() async throws {
        let graph = try graph(searches())
        let cache = try await attached(graph)
        try search("dune", in: cache).merge(books(1...2), after: nil, next: "a")
        search("emma", in: cache).replace(with: books(3...3))
        cache.list("other", of: Book.self).replace(withIDs: [1])
        try await graph.detach()
    }

    @Test(arguments: [DurableLoading.onDemand, .atStart])
    func listsAreLoadedWithTheirPagesInOneCommit(_ loading: DurableLoading) async throws {
        try await writeLists()
        #expect(try storedNames == ["search?dune", "search?emma"])
        let graph = try graph(searches(load: loading))
        let cache = try await attached(graph)
        #expect(cache.version == 1)
        #expect(search("dune", in: cache).ids == [1, 2])
        #expect(search("dune", in: cache).next == .after("a"))
        #expect(search("emma", in: cache).ids == [3])
        #expect(search("dune", in: cache).elements == (loading == .atStart ? books(1...2) : []))
        let elements = Recorder<[Book]>()
        let observation = search("dune", in: cache).observe { elements.append($0) }
        #expect(await until { search("dune", in: cache).elements == books(1...2) })
        observation.dispose()
        // A restored list isn't written again.
        try await graph.flush()
        #expect(try await graph.statistics.transactionCount == 0)
        #expect(folder.errors.all.isEmpty)
    }

    @Test func prunedListIsLoadedWhenItIsObserved() async throws {
        try await writeLists()
        let cache = try await attached(try graph(searches()))
        cache.pruneUnobservedValues()
        #expect(search("emma", in: cache).ids.isEmpty)
        let elements = Recorder<[Book]>()
        let observation = search("emma", in: cache).observe { elements.append($0) }
        #expect(await until { elements.all.last == books(3...3) })
        observation.dispose()
    }

    @Test func listWithItsOwnDeclarationFollowsIt() async throws {
        try await writeLists()
        let graph = try graph(
            searches(maximumCount: 1),
            and: DurableList("search?dune", of: Book.self),
            DurableList("best", of: Book.self)
        )
        let cache = try await attached(graph)
        #expect(search("dune", in: cache).elements == books(1...2))
        #expect(search("emma", in: cache).elements.isEmpty)
        cache.list("best", of: Book.self).replace(withIDs: [1])
        search("dune", in: cache).remove(1)
        search("emma", in: cache).append(contentsOf: books(4...4))
        try await graph.flush()
        // The list doesn't count for the maximum number of the prefix.
        #expect(try storedNames == ["best", "search?dune", "search?emma"])
    }

    @Test func removalOfEverythingRemovesTheListsInTheFile() async throws {
        try await writeLists()
        let former = try graph(DurableLists(withPrefix: "other", of: Book.self))
        let other = try await attached(former)
        other.list("other", of: Book.self).replace(withIDs: [7])
        try await former.detach()
        let graph = try graph(searches())
        let cache = try await attached(graph)
        cache.pruneUnobservedValues()
        cache.removeAll()
        search("new", in: cache).replace(withIDs: [8])
        try await graph.detach()
        // Lists that this version of the program doesn't keep stay.
        #expect(try storedNames == ["other", "search?new"])
    }

    @Test func leastRecentlyWrittenListsAreDeleted() async throws {
        let clock = Locked(Date(timeIntervalSince1970: 1_000))
        let graph = try graph(wallClock: { clock.withLock { $0 } }, searches(maximumCount: 10))
        let cache = try await attached(graph)
        for number in 0..<10 {
            search("\(number)", in: cache).replace(withIDs: [number])
            clock.withLock { $0 += 1 }
            try await graph.flush()
        }
        #expect(try storedNames.count == 10)
        // An edit is a write, and reading isn't.
        search("0", in: cache).replace(withIDs: [10])
        clock.withLock { $0 += 1 }
        try await graph.flush()
        #expect(search("1", in: cache).ids == [1])
        search("10", in: cache).replace(withIDs: [10])
        try await graph.flush()
        let left = ["0", "10", "3", "4", "5", "6", "7", "8", "9"]
        #expect(try storedNames == left.map { "search?\($0)" })
        // The deletion concerns the file only, and an edit writes the list again.
        #expect(search("1", in: cache).ids == [1])
        search("1", in: cache).append(contentsOf: books(2...2))
        try await graph.flush()
        #expect(try storedNames.contains("search?1"))
        #expect(try storedNames.count == 10)
    }

    @Test func loweredMaximumCountIsAppliedWhenTheGraphIsAttached() async throws {
        let clock = ManualClock()
        let graph = try graph(wallClock: clock.wallClock, searches())
        let cache = try await attached(graph)
        for term in ["b", "a", "d", "c"] {
            search(term, in: cache).replace(withIDs: [1])
            try await graph.flush()
            // The times of the rows are in milliseconds.
            clock.advance(by: .milliseconds(1))
        }
        cache.list("other", of: Book.self).replace(withIDs: [1])
        try await graph.detach()
        let copy = try await attached(
            try self.graph(wallClock: clock.wallClock, searches(maximumCount: 2))
        )
        #expect(["a", "b", "c", "d"].filter { !search($0, in: copy).ids.isEmpty } == ["c", "d"])
        #expect(try storedNames == ["search?c", "search?d"])
    }

    @Test func listsOfARefusedTypeAreRefused() async throws {
        let former = try folder.graph { Durable(Book.self, "book", version: 2) }
        let cache = try await attached(former)
        cache.set(Book(id: 1, title: "One"))
        try await former.detach()
        let graph = try graph(searches())
        let copy = try await attached(graph)
        search("dune", in: copy).replace(withIDs: [1])
        let error = await #expect(throws: SQLiteGraphError.self) { try await graph.flush() }
        #expect(error?.kind == .newerVersion)
        #expect(try storedNames.isEmpty)
    }

    @Test func listThatCannotBeDecodedMovesToTheQuarantine() async throws {
        try await writeLists()
        try folder.run("UPDATE flatcache_lists_book SET value = x'FF00' WHERE id = 'search?emma'")
        let graph = try graph(searches())
        let cache = try await attached(graph)
        #expect(search("dune", in: cache).ids == [1, 2])
        #expect(folder.errors.all.map(\.kind) == [.undecodable])
        #expect(try await graph.statistics.quarantinedRowCount == 1)
    }

    @Test func otherProcessesShowTheLists() async throws {
        let file = try await SharedFile {
            Durable(Book.self, "book")
            DurableLists(withPrefix: "search?", of: Book.self, maximumCount: 2)
        }
        let (first, second) = (file.first.cache, file.second.cache)
        search("dune", in: first).replace(with: books(1...2))
        try await file.synchronize()
        #expect(search("dune", in: second).ids == [1, 2])
        // Both edit the list before either sees the other's edit. The later one wins.
        search("dune", in: first).remove(1)
        file.clock.advance(by: .seconds(1))
        search("dune", in: second).remove(2)
        try await file.synchronize()
        try await file.first.graph.flush()
        #expect(search("dune", in: first).ids == [1])
        // The deletion of a row because of the number isn't a removal.
        for term in ["emma", "ulysses"] {
            file.clock.advance(by: .seconds(1))
            search(term, in: first).replace(withIDs: [3])
            try await file.synchronize()
        }
        #expect(search("dune", in: second).ids == [1])
        #expect(search("ulysses", in: second).ids == [3])
        #expect(search("dune", in: second).ids == [1])
        first.pruneUnobservedValues()
        first.removeAll()
        try await file.synchronize()
        #expect(search("ulysses", in: second).ids.isEmpty)
        #expect(search("dune", in: second).ids.isEmpty)
    }

    @Test func declarationsThatDoNotFitTrap() async {
        await #expect(processExitsWith: .failure) {
            _ = try GraphFolder().graph {
                Durable(Book.self, "book")
                DurableLists(withPrefix: "search?", of: Book.self)
                DurableLists(withPrefix: "search?d", of: Book.self)
            }
        }
        await #expect(processExitsWith: .failure) {
            _ = DurableLists(withPrefix: "search?", of: Book.self, maximumCount: 0)
        }
    }
}
