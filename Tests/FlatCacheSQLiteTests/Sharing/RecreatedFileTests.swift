import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite

/// Tests of a shared file that is deleted, and that one of the graphs creates again.
struct RecreatedFileTests {
    private let file: SharedFile

    init() async throws {
        file = try await SharedFile()
    }

    private func book(_ id: Int, _ title: String) -> Book { Book(id: id, title: title) }

    private func deleteFile() throws {
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.removeItem(atPath: file.folder.url.path + suffix)
        }
    }

    @Test(arguments: [false, true])
    func changesInTheNewFileAreNotOverwritten(isSuspended: Bool) async throws {
        let (first, second) = (file.first.cache, file.second.cache)
        first.set(contentsOf: (1...4).map { book($0, "old") })
        try await file.synchronize()
        if isSuspended { try await file.second.graph.suspend() }
        file.clock.advance(by: .seconds(1))
        first.set(contentsOf: [book(1, "new"), book(5, "new")])
        first.remove(Book.self, id: 2)
        file.clock.advance(by: .seconds(1))
        second.set(book(3, "later"))
        try deleteFile()
        try await file.first.graph.flush()
        file.clock.advance(by: .seconds(1))
        if isSuspended { try await file.second.graph.resume() }
        try await file.second.graph.flush()
        try await file.first.graph.flush()
        let expected = [book(1, "new"), book(3, "later"), book(4, "old"), book(5, "new")]
        for cache in [first, second] {
            #expect(cache.values(of: Book.self).sorted { $0.id < $1.id } == expected)
        }
        try await file.first.graph.detach()
        let reader = Cache()
        try await file.first.graph.attach(to: reader)
        #expect(reader.values(of: Book.self).sorted { $0.id < $1.id } == expected)
    }

    @Test func changesThatFollowTheOpeningOfTheNewFileAreNotOverwritten() async throws {
        let (first, second) = (file.first.cache, file.second.cache)
        first.set(contentsOf: (1...2).map { book($0, "old") })
        try await file.synchronize()
        file.clock.advance(by: .seconds(1))
        first.set(book(1, "new"))
        try deleteFile()
        file.clock.advance(by: .seconds(1))
        try await file.second.graph.engine.reopenIfLost()
        file.clock.advance(by: .seconds(1))
        try await file.first.graph.flush()
        try await file.second.graph.flush()
        try await file.first.graph.flush()
        for cache in [first, second] {
            #expect(cache[Book.self, 1] == book(1, "new"))
            #expect(cache[Book.self, 2] == book(2, "old"))
        }
        #expect(try file.folder.run("SELECT count(*) FROM book") == ["2"])
    }

    @Test(arguments: [false, true])
    func rowsOfAReplacingFileThatMemoryLacksAreLoaded(isSuspended: Bool) async throws {
        let other = file.folder.file("other.sqlite")
        do {
            let cache = Cache()
            let clock = file.clock
            let wallClock = { @Sendable in
                Date(timeIntervalSince1970: clock.now.offset / .seconds(1))
            }
            let graph = try SQLiteGraph(other, wallClock: wallClock) {
                Durable(Book.self, "book", load: .atStart)
                Durable(Profile.self, "profile").stamps(of: Int.self)
            }
            try await graph.attach(to: cache)
            cache.set(contentsOf: [book(1, "row"), book(2, "row")])
            for id in 1...2 { cache.set(Profile(id: id, name: "row", email: nil)) }
            try await graph.detach()
        }
        file.clock.advance(by: .seconds(1))
        let cache = file.first.cache
        try await file.second.graph.detach()
        cache.set(contentsOf: [book(1, "memory"), book(3, "memory")])
        let token = cache.observe(Profile.self, id: 1) { _ in }
        try await file.first.graph.flush()
        file.clock.advance(by: .seconds(1))
        if isSuspended { try await file.first.graph.suspend() }
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: file.folder.url.path + suffix)
        }
        try FileManager.default.removeItem(at: file.folder.url)
        try FileManager.default.moveItem(at: other, to: file.folder.url)
        if isSuspended { try await file.first.graph.resume() }
        try await file.first.graph.flush()
        let expected = [book(1, "memory"), book(2, "row"), book(3, "memory")]
        #expect(cache.values(of: Book.self).sorted { $0.id < $1.id } == expected)
        #expect(cache.ids(of: Profile.self) == [1])
        let reader = try file.folder.graph { Durable(Book.self, "book") }
        for book in expected { #expect(try await reader.load(Book.self, id: book.id) == book) }
        token.dispose()
    }

    @Test func earlierCopyOfTheFileDoesNotReplaceEntitiesInMemory() async throws {
        let (first, path) = (file.first.cache, file.folder.url.path)
        first.set(book(1, "old"))
        try await file.synchronize()
        try await file.second.graph.detach()
        try file.folder.run("VACUUM INTO '\(path)-copy'")
        file.clock.advance(by: .seconds(1))
        first.set(book(1, "new"))
        try await file.first.graph.flush()
        try deleteFile()
        try FileManager.default.moveItem(atPath: path + "-copy", toPath: path)
        file.clock.advance(by: .seconds(1))
        try await file.first.graph.flush()
        #expect(first[Book.self, 1] == book(1, "new"))
        let reader = try file.folder.graph { Durable(Book.self, "book") }
        #expect(try await reader.load(Book.self, id: 1) == book(1, "new"))
    }
}
