import FlatCache
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of graphs that open one new file at the same time.
struct FileCreationTests {
    @Test func graphsThatCreateAFileTogetherShareItsLog() async throws {
        for _ in 0..<5 {
            let folder = try GraphFolder()
            try await withThrowingTaskGroup { group in
                for number in 0..<4 {
                    group.addTask {
                        let cache = Cache()
                        // The initializer can wait for the lock of another graph.
                        let graph = try await onOwnThread {
                            try folder.graph(lockTimeout: .seconds(3_600)) {
                                Durable(Book.self, "book")
                            }
                        }
                        try await graph.attach(to: cache)
                        cache.set(Book(id: number, title: "a"))
                        try await graph.detach()
                    }
                }
                try await group.waitForAll()
            }
            #expect(try folder.log().latest() == 4)
            #expect(try folder.run("SELECT count(*) FROM book") == ["4"])
            #expect(try folder.run("SELECT count(*) FROM flatcache_identity") == ["1"])
        }
    }
}
