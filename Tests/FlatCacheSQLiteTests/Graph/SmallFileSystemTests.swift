#if os(Linux)
import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of a real file system that is full or read-only.
@Suite(.enabled(if: SmallFileSystem.isAvailable, "Only root can mount a file system."))
struct SmallFileSystemTests {
    private let errors = Recorder<SQLiteGraphError>()

    private func attached(_ file: URL) async throws -> (Cache, SQLiteGraph) {
        let cache = Cache()
        let graph = try SQLiteGraph(
            file,
            clock: ManualClock(),
            onError: { [errors] in errors.append($0) },
            types: { Durable(Book.self, "book") }
        )
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    /// Returns the kind of the error that a closure throws.
    private func kind(_ body: () async throws -> Void) async -> SQLiteGraphError.Kind? {
        let error = await #expect(throws: SQLiteGraphError.self) { try await body() }
        return error?.kind
    }

    @Test func fullFileSystemLosesNothing() async throws {
        let system = try SmallFileSystem(kilobytes: 400)
        let (cache, graph) = try await attached(system.file)
        let title = String(repeating: "t", count: 1_000)
        cache.set(contentsOf: (0..<100).map { Book(id: $0, title: title) })
        try await graph.flush()
        cache.set(contentsOf: (100..<1_000).map { Book(id: $0, title: title) })
        for _ in 0..<2 { #expect(await kind { try await graph.flush() } == .diskFull) }
        #expect(try await graph.statistics.rowCounts["book"] == 100)
        #expect(try await graph.statistics.pendingChangeCount == 900)
        cache.remove(Book.self, id: 5)
        try system.remount("size=20m")
        try await graph.detach()
        let (_, other) = try await attached(system.file)
        #expect(try await other.statistics.rowCounts["book"] == 999)
        #expect(try await other.load(Book.self, id: 999)?.title == title)
        #expect(errors.all.isEmpty)
    }

    @Test func readOnlyFileSystemLosesNothing() async throws {
        let system = try SmallFileSystem(kilobytes: 2_000)
        do {
            let (cache, graph) = try await attached(system.file)
            cache.set(Book(id: 1, title: "One"))
            try await graph.detach()
            // The file system can't be mounted otherwise while the file is open.
            try await graph.suspend()
        }
        try system.remount(isReadOnly: true)
        let file = system.file
        let found = await kind { _ = try await attached(file) }
        #expect(found == .readOnly || found == .cannotOpen)
        try system.remount()
        let (_, graph) = try await attached(file)
        #expect(try await graph.load(Book.self, id: 1)?.title == "One")
        #expect(errors.all.isEmpty)
    }
}
#endif
