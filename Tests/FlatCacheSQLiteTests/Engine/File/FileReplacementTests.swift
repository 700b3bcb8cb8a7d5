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

    /// The new file must not return after a deletion of the graph's file.
    @Test func newFileBesideAnUndamagedOneIsRemoved() async throws {
        try await write(0..<3)
        try Data(repeating: 1, count: 10_000).write(to: newFile)
        #expect(try await count() == 3)
        #expect(folder.errors.all.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: newFile.path))
    }

    /// A process may wait for the lock of the folder while another one replaces the file.
    @Test func fileThatAnotherProcessHasReplacedIsNotReplacedAgain() async throws {
        try await write(0..<3)
        let path = folder.url.path
        let connections = [
            try Database(path: path, lockTimeout: .zero),
            try Database(path: path, lockTimeout: .zero),
        ]
        let cause = SQLiteGraphError(.corrupt, file: path, reason: "damaged")
        for connection in connections {
            _ = try GraphFile.open(path, .zero, replacing: (connection, cause)) {
                folder.errors.append($0)
            }
        }
        #expect(folder.errors.all.map(\.kind) == [.corrupt])
        let copies = try folder.contents.filter {
            $0.contains(".corrupt-") && !$0.hasSuffix("-wal")
        }
        #expect(copies.count == 1)
        #expect(try await count() == 3)
    }

    @Test func openingWaitsForAnotherProcessForALimitedTime() throws {
        try FileReplacement(folder.url.path).withLock(.zero) { () throws(SQLiteGraphError) in
            let error = #expect(throws: SQLiteGraphError.self) {
                try folder.graph(lockTimeout: .zero)
            }
            #expect(error?.kind == .locked)
        }
        _ = try folder.graph(lockTimeout: .zero)
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
        let other = try Database(path: folder.url.path, lockTimeout: .zero)
        do { _ = try GraphFile.open(folder.url.path, .zero, replacing: (other, cause)) { _ in } }
        cache.set(Book(id: 1_000, title: "Later"))
        try await graph.flush()
        #expect(folder.errors.all.map(\.kind) == [.lostFile])
        #expect(try await count() == 1_001)
    }
}
