import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of files whose replacement was interrupted by the end of the process.
struct FileReplacementTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    private var newFile: URL { folder.file("graph.sqlite-new") }
    private var log: URL { folder.file("graph.sqlite-wal") }

    private func write(_ ids: Range<Int>) async throws {
        let cache = Cache()
        let graph = try folder.graph()
        try await graph.attach(to: cache)
        cache.set(contentsOf: ids.map { Book(id: $0, title: "Book \($0)") })
        try await graph.detach()
    }

    private func count() async throws -> Int? {
        let graph = try folder.graph()
        return try await graph.statistics.rowCounts["book"]
    }

    private func damage() throws {
        try Data(repeating: 1, count: 10_000).write(to: folder.url)
    }

    @Test func interruptedReplacementIsFinished() async throws {
        try await write(0..<3)
        try FileManager.default.moveItem(at: folder.url, to: newFile)
        try Data(repeating: 1, count: 10_000).write(to: log)
        #expect(try await count() == 3)
        #expect(folder.errors.all.map(\.kind) == [.corrupt])
        #expect(!FileManager.default.fileExists(atPath: newFile.path))
    }

    @Test func incompleteNewFileIsReplaced() async throws {
        try await write(0..<3)
        try FileManager.default.copyItem(at: folder.url, to: newFile)
        try damage()
        #expect(try await count() == 0)
        #expect(!FileManager.default.fileExists(atPath: newFile.path))
    }

    @Test func newFileBesideAnUndamagedOneIsIgnored() async throws {
        try await write(0..<3)
        try Data(repeating: 1, count: 10_000).write(to: newFile)
        #expect(try await count() == 3)
        #expect(folder.errors.all.isEmpty)
    }

    @Test func damagedFileKeepsItsLog() async throws {
        try await write(0..<3)
        try damage()
        let bytes = Data(repeating: 2, count: 5_000)
        try bytes.write(to: log)
        #expect(try await count() == 0)
        let copy = try #require(
            try folder.contents.first { $0.contains(".corrupt-") && $0.hasSuffix("-wal") }
        )
        #expect(try Data(contentsOf: folder.file(copy)) == bytes)
    }

    @Test func fileThatAnotherProcessHasReplacedIsUsed() async throws {
        let cache = Cache()
        let graph = try folder.graph()
        try await graph.attach(to: cache)
        cache.set(contentsOf: (0..<1_000).map { Book(id: $0, title: "Book \($0)") })
        try await graph.flush()
        let cause = SQLiteGraphError(.corrupt, file: folder.url.path, reason: "damaged")
        do { _ = try GraphFile.replace(folder.url.path, .zero, because: cause) { _ in } }
        cache.set(Book(id: 1_000, title: "Later"))
        try await graph.flush()
        #expect(folder.errors.all.map(\.kind) == [.lostFile])
        #expect(try await count() == 1_001)
    }
}
