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

    /// Damages three pages in the middle of a file with rows.
    private func writeDamagedFile(_ file: URL) async throws {
        do {
            let (cache, graph) = try await attached(file)
            let title = String(repeating: "t", count: 100)
            cache.set(contentsOf: (0..<8_000).map { Book(id: $0, title: title) })
            try await graph.detach()
            try await graph.suspend()
        }
        let handle = try FileHandle(forUpdating: file)
        try handle.seek(toOffset: handle.seekToEnd() / 2 / 4096 * 4096)
        try handle.write(contentsOf: Data(repeating: 0xFF, count: 3 * 4096))
        try handle.close()
    }

    @Test(
        "A damaged file remains in use until there's space for its rows",
        arguments: [100, 500, 900]
    )
    func damagedFileOnAFullFileSystemRemains(freeKilobytes: Int) async throws {
        let system = try SmallFileSystem(kilobytes: 20_000)
        try await writeDamagedFile(system.file)
        let size = try #require(
            try FileManager.default.attributesOfItem(atPath: system.file.path)[.size] as? Int
        )
        try system.remount("size=\(size / 1_024 + 40 + freeKilobytes)k")
        let (cache, graph) = try await attached(system.file)
        let first = try await graph.load(Book.self, id: 0)
        #expect(first != nil)
        for _ in 0..<2 {
            #expect(await kind { try await graph.load(Book.self) } == .diskFull)
            #expect(try await graph.load(Book.self, id: 7_999) != nil)
        }
        let names = try FileManager.default.contentsOfDirectory(
            atPath: system.file.deletingLastPathComponent().path
        )
        #expect(!names.contains { $0.contains(".corrupt-") || $0.contains("-new") })
        #expect(errors.all.isEmpty)
        cache.set(Book(id: 0, title: "written"))
        try await graph.flush()
        try system.remount("size=20m")
        try await graph.load(Book.self)
        #expect(errors.all.map(\.kind) == [.corrupt])
        #expect(cache.count(of: Book.self) > 7_800)
        #expect(cache[Book.self, 0]?.title == "written")
        try await graph.detach()
    }

    @Test func truncatedFileOnAFullFileSystemRemains() async throws {
        let system = try SmallFileSystem(kilobytes: 20_000)
        try await writeDamagedFile(system.file)
        var bytes = try Data(contentsOf: system.file)
        bytes.removeLast(4096)
        try bytes.write(to: system.file)
        try system.remount("size=\(bytes.count / 1_024 + 300)k")
        let file = system.file
        for _ in 0..<2 {
            #expect(await kind { _ = try await attached(file) } == .diskFull)
            #expect(try Data(contentsOf: file) == bytes)
        }
        try system.remount("size=20m")
        let (cache, graph) = try await attached(file)
        #expect(errors.all.map(\.kind) == [.corrupt])
        #expect(errors.all.first?.reason.contains("ranges can't be read: \"book\" ") == true)
        try await graph.load(Book.self)
        // The rows between the damaged page and the missing one aren't copied.
        #expect(cache.count(of: Book.self) > 3_500)
        try await graph.detach()
    }
}
#endif
