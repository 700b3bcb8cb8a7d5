import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of lists and aliases after an upgrade that changes the identifiers of their entities.
struct RenamedIdentifiersTests {
    private struct Numbered: Identifiable, Codable, Hashable, Sendable {
        let id: Int
        var title = ""
    }

    private struct Named: Identifiable, Codable, Hashable, Sendable {
        let id: String
        var title = ""
    }

    private struct Missing: Error {}

    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    /// Opens a cache with the entities, lists and aliases of the file.
    private func opened<Value: Identifiable & Codable & Sendable>(
        _ durable: Durable<Value>,
        load loading: DurableLoading = .atStart,
        coder: some RowCoder = CompactRowCoder()
    ) async throws -> (Cache, SQLiteGraph) where Value.ID: Codable & Sendable {
        let cache = Cache()
        let graph = try folder.graph(coder: coder) {
            durable
            DurableList("best", of: Value.self, load: loading)
            DurableLists(withPrefix: "shelf/", of: Value.self)
            DurableAliases(of: Value.self, load: loading)
            DurableResponses()
        }
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    private let numbered = Durable(Numbered.self, "item")

    /// The second version, in which the number 1 becomes "item-1".
    private var named: Durable<Named> {
        Durable(Named.self, "item", version: 2)
            .upgrade(from: 1) { (old: Numbered) in Named(id: "item-\(old.id)", title: old.title) }
    }

    /// Writes the entities 1 to 5, a list with two pages, two other lists, an alias and a response.
    private func write(coder: some RowCoder = CompactRowCoder()) async throws {
        let (cache, graph) = try await opened(numbered, coder: coder)
        let items = (1...5).map { Numbered(id: $0, title: "Title \($0)") }
        let best = cache.list("best", of: Numbered.self)
        let first = ListPage(items[0...1], next: "a", startCursor: "start")
        try best.merge(first, after: nil)
        try best.merge(Array(items[2...3]), after: "a", next: "b")
        cache.alias("newest", of: Numbered.self).set(items[4])
        cache.list("shelf/1", of: Numbered.self).replace(withIDs: [5, 3])
        cache.list("shelf/2", of: Numbered.self).replace(withIDs: [1])
        cache.list("shelf/2", of: Numbered.self).replace(withIDs: [])
        _ = try await cache.load("top") { 1 }
        try await graph.detach()
    }

    private func load(_ request: String, from cache: Cache) async throws -> Int? {
        try? await cache.load(request) { throw Missing() }
    }

    @Test(arguments: [DurableLoading.atStart, .onDemand])
    func listsAndAliasesNameTheNewIdentifiers(_ loading: DurableLoading) async throws {
        try await write()
        let (cache, graph) = try await opened(named, load: loading)
        let best = cache.list("best", of: Named.self)
        #expect(best.ids == (1...4).map { "item-\($0)" })
        #expect(cache.list("shelf/1", of: Named.self).ids == ["item-5", "item-3"])
        #expect(cache.list("shelf/2", of: Named.self).ids == [])
        #expect(cache.alias("newest", of: Named.self).target == "item-5")
        try await graph.load(Named.self)
        #expect(best.elements.map(\.title) == (1...4).map { "Title \($0)" })
        // The pages stay.
        #expect(best.next == .after("b"))
        #expect(best.startCursor == "start")
        try best.merge([Named(id: "item-9")], after: "a", next: nil)
        #expect(best.ids == ["item-1", "item-2", "item-9"])
        try await graph.detach()
        let (copy, _) = try await opened(named)
        #expect(copy.list("best", of: Named.self).ids == ["item-1", "item-2", "item-9"])
        #expect(folder.errors.all.isEmpty)
    }

    @Test func textAndSealedListsNameTheNewIdentifiers() async throws {
        try await write(coder: JSONRowCoder())
        let (cache, _) = try await opened(named, coder: JSONRowCoder())
        #expect(cache.list("shelf/1", of: Named.self).ids == ["item-5", "item-3"])
        #expect(
            try folder.run("SELECT value ->> '$.target[0]' FROM flatcache_aliases_item")
                == ["item-5"]
        )
        #expect(folder.errors.all.isEmpty)

        let other = try Self()
        let reversed: @Sendable (Data) -> Data = { Data($0.reversed()) }
        let coder = SealedRowCoder(seal: reversed, open: reversed)
        try await other.write(coder: coder)
        let (sealed, _) = try await other.opened(named, coder: coder)
        #expect(sealed.list("shelf/1", of: Named.self).ids == ["item-5", "item-3"])
        #expect(other.folder.errors.all.isEmpty)
    }

    @Test(arguments: [1, 2])
    func chainOfUpgradesRenames(_ version: Int) async throws {
        try await write()
        if version == 2 { try await opened(named).1.detach() }
        let third = Durable(Numbered.self, "item", version: 3, load: .atStart)
            .upgrade(from: 1) { (old: Numbered) in Named(id: "item-\(old.id)", title: old.title) }
            .upgrade(from: 2) { (old: Named) in
                Numbered(id: try #require(Int(old.id.dropFirst(5))) * 10, title: old.title)
            }
        let (cache, _) = try await opened(third)
        #expect(cache.list("best", of: Numbered.self).elements.map(\.id) == [10, 20, 30, 40])
        #expect(cache.alias("newest", of: Numbered.self).value?.id == 50)
        #expect(folder.errors.all.isEmpty)
    }

    /// The numbers 1 and 2 become "0", 3 and 4 become "1", and so on.
    @Test func identifierOfSeveralEntitiesOccursOnceInAList() async throws {
        try await write()
        let halved = Durable(Named.self, "item", version: 2)
            .upgrade(from: 1) { (old: Numbered) in
                Named(id: "\((old.id - 1) / 2)", title: old.title)
            }
        let (cache, _) = try await opened(halved)
        let best = cache.list("best", of: Named.self)
        #expect(best.ids == ["0", "1"])
        #expect(best.elements.map(\.title) == ["Title 1", "Title 3"])
        #expect(best.next == .after("b"))
        try best.merge([Named(id: "x")], after: "a", next: nil)
        #expect(best.ids == ["0", "x"])
        #expect(cache.list("shelf/1", of: Named.self).ids == ["2", "1"])
    }

    @Test func identifiersOfLostEntitiesDisappear() async throws {
        try await write()
        let partial = Durable(Named.self, "item", version: 2)
            .upgrade(from: 1) { (old: Numbered) in
                if [2, 3, 5].contains(old.id) { throw Missing() }
                return Named(id: "item-\(old.id)", title: old.title)
            }
        let (cache, graph) = try await opened(partial)
        let best = cache.list("best", of: Named.self)
        #expect(best.ids == ["item-1", "item-4"])
        #expect(best.next == .after("b"))
        try best.merge([Named(id: "x")], after: "a", next: nil)
        #expect(best.ids == ["item-1", "x"])
        // No element of this list is left, so it isn't one without elements.
        let ids = try folder.run("SELECT id FROM flatcache_lists_item ORDER BY id")
        #expect(ids == ["best", "shelf/2"])
        #expect(cache.alias("newest", of: Named.self).target == nil)
        #expect(try await graph.statistics.quarantinedRowCount == 3)
    }

    /// A former identifier that has no row must not name another entity.
    @Test func renumberedEntitiesAreNotConfused() async throws {
        try await write()
        try folder.run("DELETE FROM item WHERE id = 2")
        let next = Durable(Numbered.self, "item", version: 2)
            .upgrade(from: 1) { (old: Numbered) in Numbered(id: old.id + 1, title: old.title) }
        let (cache, _) = try await opened(next)
        let best = cache.list("best", of: Numbered.self)
        #expect(best.ids == [2, 4, 5])
        #expect(best.elements.map(\.title) == ["Title 1", "Title 3", "Title 4"])
        #expect(cache.alias("newest", of: Numbered.self).value?.title == "Title 5")
    }

    @Test func upgradeWithoutNewIdentifiersLeavesListsAsTheyAre() async throws {
        try await write()
        try folder.run("DELETE FROM item WHERE id = 2")
        let second = Durable(Numbered.self, "item", version: 2)
            .upgrade(from: 1) { (old: Numbered) in
                if old.id == 3 { throw Missing() }
                return Numbered(id: old.id, title: old.title.uppercased())
            }
        let (cache, _) = try await opened(second)
        #expect(cache.list("best", of: Numbered.self).ids == [1, 2, 3, 4])
        #expect(cache.alias("newest", of: Numbered.self).value?.title == "TITLE 5")
        #expect(try await load("top", from: cache) == 1)
    }

    /// Only a load knows the type of a response, which may contain identifiers.
    @Test func responsesAreDeletedWithTheFormerIdentifiers() async throws {
        try await write()
        let (before, graph) = try await opened(numbered)
        #expect(try await load("top", from: before) == 1)
        try await graph.detach()
        let (cache, _) = try await opened(named)
        #expect(try await load("top", from: cache) == nil)
        #expect(folder.errors.all.isEmpty)
    }

    @Test func damagedListIsReportedAndTheOthersAreRenamed() async throws {
        try await write()
        try folder.run("UPDATE flatcache_lists_item SET value = x'FF00' WHERE id = 'best'")
        let (cache, graph) = try await opened(named)
        #expect(cache.list("best", of: Named.self).ids == [])
        #expect(cache.list("shelf/1", of: Named.self).ids == ["item-5", "item-3"])
        #expect(folder.errors.all.map(\.kind) == [.undecodable])
        #expect(try await graph.statistics.quarantinedRowCount == 1)
    }

    @Test func failedRenamingLeavesTheWholeTypeAsItWas() async throws {
        try await write()
        try folder.run(
            """
            CREATE TRIGGER failure BEFORE UPDATE ON flatcache_aliases_item \
            BEGIN SELECT RAISE(ABORT, 'no'); END
            """
        )
        await #expect(throws: SQLiteGraphError.self) { _ = try await opened(named) }
        let (before, first) = try await opened(numbered)
        #expect(before.list("best", of: Numbered.self).elements.count == 4)
        #expect(before.alias("newest", of: Numbered.self).value?.id == 5)
        try await first.detach()
        try folder.run("DROP TRIGGER failure")
        let (cache, _) = try await opened(named)
        #expect(cache.list("best", of: Named.self).elements.count == 4)
        #expect(cache.alias("newest", of: Named.self).value?.id == "item-5")
    }

    @Test func undeclaredListsAreRenamed() async throws {
        try await write()
        let graph = try folder.graph { named }
        try await graph.attach(to: Cache())
        try await graph.detach()
        let (cache, _) = try await opened(named)
        #expect(cache.list("best", of: Named.self).elements.count == 4)
        #expect(cache.alias("newest", of: Named.self).value?.id == "item-5")
    }

    /// The type of the identifiers says that all of them are former ones.
    @Test(arguments: [true, false])
    func listsWithoutRowsOfTheirEntitiesDisappear(isNamed: Bool) async throws {
        try await write()
        try folder.run("DELETE FROM item")
        if isNamed {
            let (cache, _) = try await opened(named)
            #expect(cache.list("best", of: Named.self).ids == [])
            #expect(cache.list("best", of: Named.self).next == .unknown)
            #expect(cache.alias("newest", of: Named.self).target == nil)
        } else {
            let second = Durable(Numbered.self, "item", version: 2)
                .upgrade(from: 1) { (old: Numbered) in Numbered(id: old.id + 1) }
            let (cache, _) = try await opened(second)
            #expect(cache.list("best", of: Numbered.self).ids == [1, 2, 3, 4])
        }
        #expect(folder.errors.all.isEmpty)
    }

    @Test func rowsInTheQuarantineAreRenamed() async throws {
        try await write()
        let seal: @Sendable (Data) -> Data = { $0 }
        let wrong = SealedRowCoder(seal: seal, open: { _ in throw Missing() })
        let atStart = Durable(Numbered.self, "item", load: .atStart)
        let (_, graph) = try await opened(atStart, coder: wrong)
        #expect(try await graph.statistics.quarantinedRowCount == 9)
        try await graph.detach()
        let (cache, other) = try await opened(named)
        #expect(cache.list("best", of: Named.self).ids == [])
        #expect(try await other.restoreQuarantinedRows() == 9)
        try await other.load(Named.self)
        #expect(cache.list("best", of: Named.self).elements.count == 4)
        #expect(cache.alias("newest", of: Named.self).value?.title == "Title 5")
    }

    @Test func rowsOfAnotherFileAreRenamed() async throws {
        try await write()
        let other = folder.file("other.sqlite")
        try FileManager.default.moveItem(at: folder.url, to: other)
        let (before, first) = try await opened(numbered)
        // This list has the identifiers of the second version already.
        before.list("shelf/9", of: Numbered.self).replace(with: [Numbered(id: 1)])
        try await first.detach()
        let (cache, graph) = try await opened(named)
        #expect(try await graph.importRows(of: other) == 4 + 3 + 1)
        try await graph.load(Named.self)
        #expect(cache.list("best", of: Named.self).ids == (1...4).map { "item-\($0)" })
        #expect(cache.list("best", of: Named.self).elements.count == 4)
        #expect(cache.list("shelf/9", of: Named.self).ids == ["item-1"])
        #expect(cache.alias("newest", of: Named.self).value?.title == "Title 5")
    }
}

extension RenamedIdentifiersTests {
    private struct Wide: Identifiable, Codable, Sendable {
        let id: UInt64
    }

    private struct Place: Codable, Hashable, Sendable {
        var row: Int
        var column: Int
    }

    private struct Placed: Identifiable, Codable, Sendable {
        let id: Place
    }

    private func namesInList<Old: Identifiable & Codable & Sendable>(
        of old: [Old],
        upgrade: @escaping @Sendable (Old) -> Named
    ) async throws -> [String] where Old.ID: Codable & Sendable {
        let (cache, graph) = try await opened(Durable(Old.self, "item"))
        cache.list("best", of: Old.self).replace(with: old)
        try await graph.detach()
        let second = Durable(Named.self, "item", version: 2).upgrade(from: 1, upgrade)
        let (copy, _) = try await opened(second)
        return copy.list("best", of: Named.self).elements.map(\.id)
    }

    @Test func largeNumbersAreRenamed() async throws {
        let old = [Wide(id: .max), Wide(id: 0), Wide(id: 1 << 63)]
        let names = try await namesInList(of: old) { Named(id: "\($0.id)") }
        #expect(names == old.map { "\($0.id)" })
        #expect(folder.errors.all.isEmpty)
    }

    @Test func structuresAreRenamed() async throws {
        let old = [Placed(id: Place(row: 2, column: 1)), Placed(id: Place(row: 0, column: 7))]
        let names = try await namesInList(of: old) { Named(id: "\($0.id.row)/\($0.id.column)") }
        #expect(names == ["2/1", "0/7"])
        #expect(folder.errors.all.isEmpty)
    }

    /// Canonically equal strings are one identifier.
    @Test func stringsInBothNormalFormsAreRenamed() async throws {
        let (cache, graph) = try await opened(Durable(Named.self, "item"))
        cache.set(Named(id: "caf\u{e9}"))
        cache.list("best", of: Named.self).replace(withIDs: ["cafe\u{301}"])
        try await graph.detach()
        let second = Durable(Named.self, "item", version: 2)
            .upgrade(from: 1) { (old: Named) in Named(id: old.id.uppercased()) }
        let (copy, _) = try await opened(second)
        #expect(copy.list("best", of: Named.self).elements.map(\.id) == ["CAF\u{c9}"])
    }

    /// The identifiers of a type without a new version can get another type with the same encoding.
    @Test func wrappedIdentifiersStayInLists() async throws {
        struct Wrapped: Codable, Hashable, RawRepresentable, Sendable {
            let rawValue: Int
        }
        struct Item: Identifiable, Codable, Sendable {
            let id: Wrapped
            var title = ""
        }
        try await write()
        let (cache, _) = try await opened(Durable(Item.self, "item"))
        let ids = cache.list("best", of: Item.self).elements.map(\.id.rawValue)
        #expect(ids == [1, 2, 3, 4])
        #expect(cache.alias("newest", of: Item.self).value?.title == "Title 5")
        #expect(folder.errors.all.isEmpty)
    }
}
