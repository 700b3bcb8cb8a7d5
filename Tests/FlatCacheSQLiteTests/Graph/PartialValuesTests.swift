import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of values that are merged with their rows.
struct PartialValuesTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    private func attached() async throws -> (Cache, SQLiteGraph) {
        let cache = Cache()
        let graph = try folder.graph { Durable(Profile.self, "profile") }
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    /// Writes a whole profile.
    private func writeProfile() async throws {
        let (cache, graph) = try await attached()
        cache.set(Profile(id: 1, name: "Name", email: "mail"))
        try await graph.detach()
    }

    private func row() async throws -> Profile? {
        let (_, graph) = try await attached()
        return try await graph.load(Profile.self, id: 1)
    }

    @Test("A last edit keeps the parts that another graph wrote", arguments: [true, false])
    func lastEdit(isReplaced: Bool) async throws {
        var cache: Cache? = Cache()
        let graph = try folder.graph { Durable(Profile.self, "profile") }
        try await graph.attach(to: #require(cache))
        cache?.set(Profile(id: 1, name: "Name", email: nil))
        try await graph.suspend()
        let (other, otherGraph) = try await attached()
        other.set(Profile(id: 1, name: nil, email: "other"))
        try await otherGraph.detach()
        if isReplaced {
            cache?.replace(Profile(id: 1, name: "Edited", email: nil))
        } else {
            cache?.set(Profile(id: 1, name: "Edited", email: nil))
        }
        cache = nil
        try await graph.flush()
        let email = isReplaced ? nil : "other"
        #expect(try await row() == Profile(id: 1, name: "Edited", email: email))
    }

    @Test func lastEditThatRemovesAPartIsNotMergedWithItsOwnRow() async throws {
        try await writeProfile()
        var cache: Cache? = Cache()
        let graph = try folder.graph { Durable(Profile.self, "profile") }
        try await graph.attach(to: #require(cache))
        _ = try await graph.load(Profile.self, id: 1)
        cache?.update(Profile.self, id: 1) { $0.email = nil }
        cache = nil
        try await graph.flush()
        #expect(try await row() == Profile(id: 1, name: "Name", email: nil))
    }

    @Test func partialValueIsMergedWithItsRow() async throws {
        try await writeProfile()
        let (cache, graph) = try await attached()
        cache.set(Profile(id: 1, name: "New", email: nil))
        try await graph.flush()
        #expect(cache[Profile.self, 1] == Profile(id: 1, name: "New", email: "mail"))
        #expect(try await row() == Profile(id: 1, name: "New", email: "mail"))
        // One transaction suffices, and the merged value isn't written again.
        try await graph.flush()
        #expect(try await graph.statistics.transactionCount == 1)
    }

    @Test func updatedDefaultIsMergedWithItsRow() async throws {
        try await writeProfile()
        let (cache, graph) = try await attached()
        let empty = Profile(id: 1, name: nil, email: nil)
        let updated = cache.update(Profile.self, id: 1, default: empty) { $0.name = "New" }
        #expect(updated == Profile(id: 1, name: "New", email: nil))
        try await graph.flush()
        #expect(cache[Profile.self, 1] == Profile(id: 1, name: "New", email: "mail"))
        #expect(try await row() == Profile(id: 1, name: "New", email: "mail"))
    }

    @Test func replacedAndRemovedValuesAreNotMerged() async throws {
        try await writeProfile()
        let (cache, graph) = try await attached()
        cache.replace(Profile(id: 1, name: "Replaced", email: nil))
        try await graph.detach()
        #expect(try await row() == Profile(id: 1, name: "Replaced", email: nil))

        try await writeProfile()
        let (other, second) = try await attached()
        other.remove(Profile.self, id: 1)
        other.set(Profile(id: 1, name: "Again", email: nil))
        try await second.detach()
        #expect(try await row() == Profile(id: 1, name: "Again", email: nil))
    }

    @Test func lastChangesOfADeallocatedCacheAreMerged() async throws {
        try await writeProfile()
        let graph: SQLiteGraph
        do {
            let cache: Cache
            (cache, graph) = try await attached()
            cache.set(Profile(id: 1, name: "Last", email: nil))
        }
        #expect(await untilDetached(graph))
        #expect(try await row() == Profile(id: 1, name: "Last", email: "mail"))
    }

    @Test func partialValuesAmongNewOnesAreMerged() async throws {
        let (writer, first) = try await attached()
        writer.set(contentsOf: (0..<100).map { Profile(id: $0, name: "Name", email: "mail") })
        try await first.detach()
        let (cache, graph) = try await attached()
        cache.set(contentsOf: (50..<300).map { Profile(id: $0, name: "New", email: nil) })
        try await graph.flush()
        for id in [50, 99] { #expect(cache[Profile.self, id]?.email == "mail") }
        for id in [100, 299] { #expect(cache[Profile.self, id]?.email == nil) }
        #expect(try await graph.load(Profile.self, id: 0)?.email == "mail")
    }

    @Test func valueThatWasLoadedAtTheStartIsNotReadAgain() async throws {
        try await writeProfile()
        let cache = Cache()
        let graph = try folder.graph { Durable(Profile.self, "profile", load: .atStart) }
        try await graph.attach(to: cache)
        // A read of the row would report it.
        try folder.run("UPDATE profile SET value = x'FF00'")
        cache.set(Profile(id: 1, name: "New", email: nil))
        try await graph.flush()
        #expect(folder.errors.all.isEmpty)
        #expect(try await row() == Profile(id: 1, name: "New", email: "mail"))
    }

    @Test func partialValuesOfAFailedFlushAreMergedLater() async throws {
        try await writeProfile()
        let (cache, graph) = try await attached()
        let other = try Database(path: folder.url.path, lockTimeout: .zero)
        try other.execute("BEGIN IMMEDIATE")
        cache.set(Profile(id: 1, name: "New", email: nil))
        await #expect(throws: SQLiteGraphError.self) { try await graph.flush() }
        try other.execute("COMMIT")
        try await graph.flush()
        #expect(try await row() == Profile(id: 1, name: "New", email: "mail"))
    }
}
