import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

// The responses of entities whose rows are gone although the entities weren't removed.
extension DurableRequestsTests {
    @Test func limitDeletesResponsesWithTheRowsOfTheirEntities() async throws {
        let limit = DurableLimit.count(10)
        try await write("page", 1...3, limit)
        let (cache, graph) = try await reopened(limit)
        clock.advance(by: .seconds(1))
        try await page(leaves(11...18), named: "other", in: cache).load()
        try await graph.detach()
        #expect(try names == ["other"])
        calls.removeAll()
        let (copy, _) = try await reopened(limit)
        try await page(leaves(1...3, "new"), in: copy).load()
        #expect(calls.all == [["new 1", "new 2", "new 3"]])
        #expect(try await page([], named: "other", in: copy).load().count == 8)
        #expect(calls.count == 1)
    }

    @Test func ageDeletesResponsesWithTheRowsOfTheirEntities() async throws {
        let limit = DurableLimit.age(.seconds(30))
        try await write("page", 1...3, limit)
        clock.advance(by: .seconds(40))
        let (_, graph) = try await reopened(limit)
        try await graph.detach()
        #expect(try names == [])
    }

    @Test func responseLargerThanALimitIsNotWritten() async throws {
        let (cache, graph) = try await reopened(.count(10))
        let page = self.page(leaves(1...20), in: cache)
        try await page.load()
        try await graph.flush()
        #expect(try names == [])
        // Memory has the entities, but their rows aren't written again.
        cache.invalidate(request: "page")
        try await graph.flush()
        #expect(try names == [])
        #expect(page.value?.count == 20)
    }

    @Test func lastChangesOfADeallocatedCacheKeepOnlyCompleteResponses() async throws {
        let write = { () async throws -> SQLiteGraph in
            let (cache, graph) = try await reopened(.count(10))
            try await page(leaves(1...20), in: cache).load()
            try await graph.flush()
            clock.advance(by: .seconds(1))
            cache.invalidate(request: "page")
            try await page(leaves(31...32), named: "other", in: cache).load()
            return graph
        }
        #expect(await untilDetached(try write()))
        #expect(try names == ["other"])
    }

    @Test func undecodableEntityMakesAResponseMissing() async throws {
        try await write("page", 1...2)
        try await write("other", 3...4)
        try folder.run("UPDATE leaf SET value = x'FF00' WHERE id = 1")
        let (cache, graph) = try await reopened()
        try await page(leaves([5]), in: cache).load()
        #expect(calls.all == [["old 5"]])
        #expect(folder.errors.all.map(\.kind) == [.undecodable])
        try folder.run("UPDATE leaf SET value = x'FF00' WHERE id = 3")
        #expect(try await graph.load(Leaf.self, id: 3) == nil)
        try await graph.detach()
        #expect(try names == ["page"])
    }

    @Test func unencodableEntityKeepsAResponseFromBeingWritten() async throws {
        let (cache, graph) = try await reopened {
            Durable(Stubborn.self, "stubborn")
            DurableResponses()
        }
        cache.set(Stubborn(id: 1, refuses: true))
        cache.set(Stubborn(id: 2, refuses: false))
        for id in 1...2 { _ = try await cache.load("\(id)") { Related<Stubborn>(id) } }
        // The confirmed value counts.
        let layer = cache.beginLayer("Delete") { $0.remove(Stubborn.self, id: 1) }
        try await graph.flush()
        #expect(try names == ["2"])
        layer.rollBack()
        try await graph.detach()
    }

    @Test func failedUpgradeDeletesTheResponsesOfItsEntity() async throws {
        try await write("page", 1...2)
        try await write("other", 3...4)
        let (_, graph) = try await reopened {
            Durable(Leaf.self, "leaf", version: 2).upgrade(from: 1) { (old: Leaf) in
                if old.id == 1 { throw Refusal() }
                return Leaf(id: old.id, text: old.text)
            }
            DurableResponses()
        }
        try await graph.detach()
        #expect(try names == ["other"])
    }

    @Test func graphWithoutResponsesDeletesThoseOfLostEntities() async throws {
        try await write("page", 1...2)
        let (cache, graph) = try await reopened {
            Durable(Leaf.self, "leaf", limit: .count(10))
        }
        clock.advance(by: .seconds(1))
        cache.set(contentsOf: leaves(11...20))
        try await graph.detach()
        #expect(try names == [])
    }

    @Test func damageToEntitiesDeletesResponses() async throws {
        try await write()
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'leaf'"
        let number = try #require(folder.run(sql).first.flatMap { Int($0) })
        let size = try #require(folder.run("PRAGMA page_size").first.flatMap { Int($0) })
        var bytes = try Data(contentsOf: folder.url)
        let page = (number - 1) * size..<number * size
        bytes.replaceSubrange(page, with: repeatElement(0xEE, count: size))
        let damaged = try Self()
        try bytes.write(to: damaged.folder.url)
        let (cache, graph) = try await damaged.reopened()
        try await damaged.page(leaves([3]), in: cache).load()
        #expect(damaged.calls.all == [["old 3"]])
        #expect(damaged.folder.errors.all.map(\.kind) == [.corrupt])
        try await graph.detach()
    }
}
