import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of two graphs that use one file.
struct ImportTests {
    private func book(_ id: Int, _ title: String = "Title") -> Book { Book(id: id, title: title) }

    @Test func transactionOfAnotherGraphIsOneCommit() async throws {
        let file = try await SharedFile()
        let (first, second) = (file.first.cache, file.second.cache)
        first.set(contentsOf: [book(1), book(2)])
        try await file.synchronize()
        #expect(second.count(of: Book.self) == 2)
        let seen = Recorder<[String?]>()
        let token = second.cached(Book.self, id: 1).observe { [weak second] _ in
            seen.append([1, 2, 3].map { second?.get(Book.self, id: $0)?.title })
        }
        first.performBatchUpdates { batch in
            for id in 1...3 { batch.set(book(id, "New")) }
        }
        try await file.synchronize()
        #expect(seen.all == [["New", "New", "New"]])
        token.dispose()
        #expect(file.folder.errors.all.isEmpty)
    }

    /// An invalidation of a missing row must not hide the removal.
    @Test(arguments: [false, true], [false, true])
    func removalOfAnInvalidatedEntityIsImported(isFirst: Bool, isMerged: Bool) async throws {
        let file = try await SharedFile()
        let (first, second) = (file.first.cache, file.second.cache)
        first.set(contentsOf: [book(1), book(2)])
        try await file.synchronize()
        try await file.second.graph.suspend()
        if isFirst { first.invalidate(Book.self, id: 1) }
        first.remove(Book.self, id: 1)
        if isMerged { try await file.first.graph.flush() }
        if !isFirst { first.invalidate(Book.self, id: 1) }
        first.invalidate(Book.self, id: 2)
        try await file.first.graph.flush()
        try await file.second.graph.resume()
        #expect(second.ids(of: Book.self) == [2])
        #expect(second.freshness(of: Book.self, id: 2).isStale)
    }

    @Test func entitiesWithoutARowStayInMemory() async throws {
        let file = try await SharedFile {
            Durable(Stubborn.self, "stubborn")
            Durable(Book.self, "book")
        }
        let (first, second) = (file.first.cache, file.second.cache)
        first.set(contentsOf: [Stubborn(id: 1, refuses: false), Stubborn(id: 2, refuses: false)])
        first.set(contentsOf: [book(1), book(2)])
        try await file.synchronize()
        second.set(contentsOf: [book(1), book(2)])
        for id in 1...3 { second.set(Stubborn(id: id, refuses: id == 3)) }
        try await file.second.graph.flush()
        #expect(file.folder.errors.all.map(\.kind) == [.unencodable])
        // A suspended graph doesn't import the next transactions one by one.
        try await file.second.graph.suspend()
        try file.folder.run("UPDATE book SET value = x'00' WHERE id = 1")
        _ = try await file.first.graph.load(Book.self)
        first.remove(Stubborn.self, id: 2)
        first.remove(Book.self, id: 2)
        try await file.first.graph.flush()
        // A process that was away for more than seven days reads all rows.
        try file.folder.log().shorten(
            at: WallTime(milliseconds: 1_000 * 86_400_000),
            sizeLimit: 1_000
        )
        try await file.second.graph.resume()
        #expect(second.ids(of: Stubborn.self).sorted() == [1, 3])
        #expect(second.ids(of: Book.self) == [1])
        // Once there is a row, its removal concerns the entity again.
        first.set(Stubborn(id: 3, refuses: false))
        try await file.synchronize()
        try await file.second.graph.suspend()
        first.remove(Stubborn.self, id: 3)
        try await file.first.graph.flush()
        try file.folder.log().shorten(
            at: WallTime(milliseconds: 2_000 * 86_400_000),
            sizeLimit: 1_000
        )
        try await file.second.graph.resume()
        #expect(second.ids(of: Stubborn.self) == [1])
    }

    @Test func importedTransactionIsNotWrittenAgain() async throws {
        let file = try await SharedFile()
        file.first.cache.set(book(1))
        file.first.cache.set(Profile(id: 1, name: "Name", email: nil))
        try await file.synchronize()
        try await file.second.graph.flush()
        #expect(try file.latestNumber == 1)
        #expect(try await file.second.graph.statistics.transactionCount == 0)
        // The next transaction contains only its own change.
        file.second.cache.set(book(2))
        try await file.second.graph.flush()
        #expect(try file.folder.log().records(after: 1)?.map(\.stored) == [[.number(2)]])
    }

    @Test func removalsAndInvalidationsAreImported() async throws {
        let file = try await SharedFile()
        let (first, second) = (file.first.cache, file.second.cache)
        first.set(contentsOf: (1...4).map { book($0) })
        try await file.synchronize()
        first.remove(Book.self, id: 1)
        first.invalidate(Book.self, id: 2)
        try await file.synchronize()
        #expect(second.ids(of: Book.self).sorted() == [2, 3, 4])
        #expect(second.freshness(of: Book.self, id: 2).isStale)
        #expect(!second.freshness(of: Book.self, id: 3).isStale)
        first.invalidate(Book.self)
        try await file.synchronize()
        #expect(second.freshness(of: Book.self, id: 3).isStale)
        first.removeAll(Book.self)
        first.set(book(5))
        try await file.synchronize()
        #expect(second.ids(of: Book.self) == [5])
        #expect(try await file.second.graph.statistics.rowCounts["book"] == 1)
    }

    @Test func entityThatMemoryLacksIsImportedOnlyIfItIsObserved() async throws {
        let file = try await SharedFile()
        let (first, second) = (file.first.cache, file.second.cache)
        let token = second.cached(Profile.self, id: 2).observe { _ in }
        for id in 1...2 { first.set(Profile(id: id, name: "Name", email: nil)) }
        try await file.synchronize()
        #expect(second.ids(of: Profile.self) == [2])
        first.set(Profile(id: 2, name: "New", email: nil))
        try await file.synchronize()
        #expect(second.get(Profile.self, id: 2)?.name == "New")
        token.dispose()
    }

    @Test("A commit changes an observed list together with the elements that memory lacks")
    func importedListIncludesItsElements() async throws {
        let file = try await SharedFile {
            Durable(Book.self, "book")
            DurableLists(withPrefix: "search?", of: Book.self)
        }
        let (first, second) = (file.first.cache, file.second.cache)
        let list = { (cache: Cache, term: String) in cache.list("search?\(term)", of: Book.self) }
        list(first, "a").replace(with: [book(1)])
        first.set(contentsOf: [book(2), book(3)])
        try await file.synchronize()
        let seen = Recorder<[Int]>()
        let token = list(second, "a").observe(initial: true) { seen.append($0.map(\.id)) }
        #expect(await until { seen.all.last == [1] })
        let count = seen.count
        list(first, "a").replace(with: [book(3), book(4)])
        list(first, "b").replace(with: [book(5)])
        try await file.synchronize()
        #expect(seen.all.dropFirst(count) == [[3, 4]])
        // No observation reaches the other elements.
        #expect(second.ids(of: Book.self).sorted() == [1, 3, 4])
        second.remove(Book.self, id: 1)
        list(first, "a").replace(withIDs: [1, 2])
        try await file.synchronize()
        // The removal isn't undone by the element's row.
        #expect(seen.all.last == [2])
        token.dispose()
    }

    @Test("A list that is loaded at the start is imported with its new elements")
    func importedListIncludesItsElementsIfItIsLoadedAtTheStart() async throws {
        let file = try await SharedFile {
            Durable(Book.self, "book")
            DurableList("top", of: Book.self)
            DurableAliases(of: Book.self)
        }
        let (first, second) = (file.first.cache, file.second.cache)
        let list = { (cache: Cache) in cache.list("top", of: Book.self) }
        list(first).replace(with: [book(1)])
        try await file.synchronize()
        #expect(list(second).elements.map(\.id) == [1])
        first.set(contentsOf: (2...5).map { book($0) })
        list(first).replace(withIDs: [1, 2, 3])
        first.alias("best", of: Book.self).target = 4
        try await file.synchronize()
        #expect(list(second).elements.map(\.id) == [1, 2, 3])
        #expect(second.ids(of: Book.self).sorted() == [1, 2, 3, 4])
    }

    @Test(arguments: [RelationshipDepth.none, .levels(1), .allRelationships])
    func importedValueIncludesTheEntitiesThatAnObservationReaches(
        _ depth: RelationshipDepth
    ) async throws {
        let file = try await SharedFile {
            Durable(Part.self, "part")
        }
        let (first, second) = (file.first.cache, file.second.cache)
        first.set(Part(id: 1, next: nil))
        try await file.first.graph.flush()
        _ = try await file.second.graph.load(Part.self, id: 1)
        let seen = Recorder<[Int]>()
        let token = second.cached(Part.self, id: 1).following(depth).observe { [weak second] _ in
            seen.append(second?.ids(of: Part.self).sorted() ?? [])
        }
        first.set(contentsOf: (1...4).map { Part(id: $0, next: $0 < 4 ? $0 + 1 : 1) })
        try await file.synchronize()
        let expected = depth == .none ? [1] : depth == .allRelationships ? [1, 2, 3, 4] : [1, 2]
        #expect(seen.all == [expected])
        token.dispose()
    }

    @Test func replacedValueLosesItsParts() async throws {
        let file = try await SharedFile()
        file.first.cache.set(Profile(id: 1, name: "Name", email: "mail"))
        try await file.first.graph.flush()
        _ = try await file.second.graph.load(Profile.self, id: 1)
        file.first.cache.replace(Profile(id: 1, name: "Name", email: nil))
        try await file.synchronize()
        #expect(
            file.second.cache.get(Profile.self, id: 1) == Profile(id: 1, name: "Name", email: nil)
        )
    }

    @Test func loadImportsEarlierTransactionsFirst() async throws {
        let file = try await SharedFile()
        file.second.cache.set(book(1))
        try await file.second.graph.flush()
        try await file.first.graph.flush()
        file.first.cache.set(book(1, "New"))
        file.first.cache.set(Profile(id: 1, name: "Name", email: nil))
        try await file.first.graph.flush()
        _ = try await file.second.graph.load(Profile.self, id: 1)
        #expect(file.second.cache.get(Book.self, id: 1)?.title == "New")
    }

    @Test func rowsThatALimitDeletesStayInMemory() async throws {
        let file = try await SharedFile {
            Durable(Book.self, "book", limit: .count(10), load: .atStart)
        }
        file.first.cache.set(contentsOf: (0..<5).map { book($0) })
        try await file.synchronize()
        file.clock.advance(by: .seconds(10))
        file.first.cache.set(contentsOf: (5..<12).map { book($0) })
        try await file.synchronize()
        #expect(try await file.first.graph.statistics.rowCounts["book"] == 9)
        #expect(file.second.cache.count(of: Book.self) >= 11)
    }

    @Test func graphThatWasAwayTooLongReloads() async throws {
        let file = try await SharedFile()
        let (first, second) = (file.first.cache, file.second.cache)
        first.set(contentsOf: (1...3).map { book($0) })
        first.set(Profile(id: 1, name: "Name", email: nil))
        try await file.synchronize()
        _ = try await file.second.graph.load(Profile.self, id: 1)
        try await file.second.graph.suspend()
        first.remove(Book.self, id: 1)
        first.set(contentsOf: [book(2, "New"), book(4)])
        first.remove(Profile.self, id: 1)
        first.set(Profile(id: 2, name: "Other", email: nil))
        try await file.first.graph.flush()
        try file.folder.log().shorten(at: WallTime(milliseconds: 1 << 40), sizeLimit: 0)
        second.set(book(5))
        try await file.second.graph.resume()
        #expect(second.ids(of: Book.self).sorted() == [2, 3, 4, 5])
        #expect(second.get(Book.self, id: 2)?.title == "New")
        #expect(second.count(of: Profile.self) == 0)
        #expect(try await file.first.graph.statistics.rowCounts == ["book": 4, "profile": 1])
    }

    @Test func undecodableRowOfAnotherGraphIsReported() async throws {
        let file = try await SharedFile()
        try await file.second.graph.suspend()
        file.first.cache.set(contentsOf: [book(1), book(2)])
        try await file.first.graph.flush()
        try file.folder.run("UPDATE book SET value = x'00ff' WHERE id = 1")
        try await file.second.graph.resume()
        #expect(file.second.cache.ids(of: Book.self) == [2])
        #expect(file.folder.errors.all.map(\.kind) == [.undecodable])
        #expect(file.folder.errors.all.first?.key == CacheKey(Book.self, id: 1))
        #expect(try await file.second.graph.statistics.quarantinedRowCount == 1)
    }
}
