import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of the copying of SQLite's log to the file.
struct LogCopyingTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    @Test func logIsCopiedAfterALargeFlush() async throws {
        let graph = try folder.graph()
        let cache = Cache()
        try await graph.attach(to: cache)
        let title = String(repeating: "t", count: 1_000)
        for round in 0..<2 {
            let first = 5_000 * round
            cache.set(contentsOf: (first..<first + 5_000).map { Book(id: $0, title: title) })
            try await graph.flush()
            let isCopied = try await until(graph) { _ in
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.url.path)
                let size = (attributes[.size] as? NSNumber)?.intValue ?? 0
                return size > 5_000_000 * (round + 1)
            }
            try #require(isCopied)
            // The next transaction begins the log again.
            cache.set(Book(id: first, title: "short"))
            try await graph.flush()
            #expect(await graph.engine.logPageCount < 100)
        }
    }

    @Test func logShrinksAfterTheReadOfAnotherConnection() async throws {
        let graph = try folder.graph()
        let cache = Cache()
        try await graph.attach(to: cache)
        let reader = try Database(path: folder.url.path, lockTimeout: .zero)
        try reader.execute("BEGIN; SELECT * FROM flatcache_types")
        let title = String(repeating: "t", count: 1_000)
        cache.set(contentsOf: (0..<10_000).map { Book(id: $0, title: title) })
        try await graph.flush()
        #expect(await until(graph) { !$0.isCopyingScheduled })
        #expect(try await graph.statistics.logSize > 10_000_000)
        try reader.execute("COMMIT")
        for id in 0..<2 {
            cache.set(Book(id: id, title: "short"))
            try await graph.flush()
            #expect(await until(graph) { !$0.isCopyingScheduled })
        }
        #expect(try await graph.statistics.logSize < 2_000_000)
        #expect(try await graph.statistics.rowCounts["book"] == 10_000)
    }
}

extension GraphEngine {
    fileprivate var logPageCount: Int { database.logPageCount }
}
