import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of the changes that a graph keeps while its file is lost, locked or damaged.
struct GraphRecoveryTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    private func profiles(_ cache: Cache) async throws -> SQLiteGraph {
        // A former graph may be closing the file.
        let graph = try folder.graph(lockTimeout: .seconds(3_600)) {
            Durable(Profile.self, "profile")
        }
        try await graph.attach(to: cache)
        return graph
    }

    private func write(_ profile: Profile) async throws {
        let cache = Cache()
        let graph = try await profiles(cache)
        cache.set(profile)
        try await graph.detach()
    }

    private func row(_ id: Int = 1) async throws -> Profile? {
        try await profiles(Cache()).load(Profile.self, id: id)
    }

    @Test func replacedFileWhoseTablesCannotBePreparedIsFlushedLater() async throws {
        let cache = Cache()
        let graph = try folder.graph(lockTimeout: .zero) { Durable(Profile.self, "profile") }
        try await graph.attach(to: cache)
        cache.set(Profile(id: 1, name: "One", email: nil))
        try await graph.detach()
        let copy = folder.file("copy.sqlite")
        try FileManager.default.copyItem(at: folder.url, to: copy)
        try await graph.attach(to: cache)
        for name in try folder.contents where name != "copy.sqlite" {
            try FileManager.default.removeItem(at: folder.file(name))
        }
        try FileManager.default.moveItem(at: copy, to: folder.url)
        let other = try Database(path: folder.url.path, lockTimeout: .zero)
        try other.execute("BEGIN IMMEDIATE")
        cache.set(Profile(id: 2, name: "Two", email: nil))
        for _ in 0..<2 {
            await #expect(throws: SQLiteGraphError.self) { try await graph.flush() }
        }
        try other.execute("COMMIT")
        try await graph.flush()
        // Flushes in the background can fail, too.
        #expect(folder.errors.all.map(\.kind).filter { $0 != .locked } == [.lostFile])
        #expect(try await row(2)?.name == "Two")
    }

    @Test func partialValuesOfAFlushThatCannotReadAreMergedLater() async throws {
        try await write(Profile(id: 1, name: "Name", email: "mail"))
        try await write(Profile(id: 2, name: "Name", email: "mail"))
        let cache = Cache()
        let graph = try await profiles(cache)
        cache.set(Profile(id: 1, name: "New", email: nil))
        cache.set(Profile(id: 2, name: "New", email: nil))
        try folder.run("ALTER TABLE profile RENAME COLUMN stale TO other")
        await #expect(throws: SQLiteGraphError.self) { try await graph.flush() }
        try folder.run("ALTER TABLE profile RENAME COLUMN other TO stale")
        try await graph.flush()
        #expect(try await row() == Profile(id: 1, name: "New", email: "mail"))
        #expect(try await row(2) == Profile(id: 2, name: "New", email: "mail"))
    }

    @Test func loadReadsTheFileOfAGraphThatWasNeverAttached() async throws {
        try await write(Profile(id: 1, name: "Name", email: "mail"))
        let graph = try folder.graph { Durable(Profile.self, "profile") }
        #expect(try await graph.load(Profile.self, id: 1)?.name == "Name")
        #expect(try await graph.statistics.rowCounts["profile"] == 1)
    }

    @Test func lastChangesOfADeallocatedCacheAreWrittenToANewFile() async throws {
        let graph: SQLiteGraph
        do {
            let cache = Cache()
            graph = try await profiles(cache)
            cache.set(Profile(id: 1, name: "Last", email: nil))
            for name in try folder.contents {
                try FileManager.default.removeItem(at: folder.file(name))
            }
        }
        #expect(await untilDetached(graph))
        #expect(folder.errors.all.map(\.kind) == [.lostFile])
        #expect(try await row()?.name == "Last")
    }

    @Test func cacheWithoutChangesLeavesADeletedFileAlone() async throws {
        let graph: SQLiteGraph
        do {
            let cache = Cache()
            graph = try await profiles(cache)
            cache.set(Profile(id: 1, name: "One", email: nil))
            try await graph.flush()
            for name in try folder.contents {
                try FileManager.default.removeItem(at: folder.file(name))
            }
        }
        #expect(await untilDetached(graph))
        #expect(folder.errors.all.isEmpty)
        #expect(try folder.contents.isEmpty)
    }

    @Test func undecodableRowBeneathALastChangeIsReported() async throws {
        try await write(Profile(id: 1, name: "Name", email: "mail"))
        try folder.run("UPDATE profile SET value = x'FF00'")
        let graph: SQLiteGraph
        do {
            let cache = Cache()
            graph = try await profiles(cache)
            cache.set(Profile(id: 1, name: "Last", email: nil))
        }
        #expect(await untilDetached(graph))
        #expect(folder.errors.all.map(\.kind) == [.undecodable])
    }

    @Test func rowWithALaterStampOutlivesALastChange() async throws {
        let durable = Durable(Book.self, "book").stamps(of: Int.self)
        do {
            let cache = Cache()
            let graph = try folder.graph { durable }
            try await graph.attach(to: cache)
            cache.set(Book(id: 1, title: "Later"), modifiedAt: 5)
            try await graph.detach()
        }
        let graph: SQLiteGraph
        do {
            let cache = Cache()
            graph = try folder.graph { durable }
            try await graph.attach(to: cache)
            cache.set(Book(id: 1, title: "Earlier"), modifiedAt: 4)
        }
        #expect(await untilDetached(graph))
        let reader = try folder.graph { durable }
        try await reader.attach(to: Cache())
        #expect(try await reader.load(Book.self, id: 1)?.title == "Later")
    }

    @Test func damagedFileWhoseRowsCannotBeCopiedIsReported() async throws {
        try await write(Profile(id: 1, name: "Name", email: "mail"))
        // A generated column can't be inserted.
        try folder.run("ALTER TABLE profile ADD COLUMN generated AS (1)")
        let cause = SQLiteGraphError(.corrupt, file: folder.url.path, reason: "damaged")
        var error: SQLiteGraphError?
        let former = try Database(path: folder.url.path, lockTimeout: .zero)
        _ = try GraphFile.open(folder.url.path, .zero, replacing: (former, cause)) { error = $0 }
        let copy = try #require(try folder.contents.first { $0.contains(".corrupt-") })
        #expect(error?.reason.contains(copy) == true)
    }

    @Test func namesThatDifferInCaseTrap() async {
        await #expect(processExitsWith: .failure) {
            _ = try GraphFolder().graph {
                Durable(Book.self, "entity")
                Durable(Author.self, "Entity")
            }
        }
    }

    @Test func longestLockTimeoutIsUsable() throws {
        _ = try SQLiteGraph(folder.url, lockTimeout: .seconds(Int64.max)) {
            Durable(Book.self, "book")
        }
    }
}
