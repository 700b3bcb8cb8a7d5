import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of a shared file that is lost, and that one of the graphs creates again.
struct LostFileTests {
    private let file: SharedFile

    init() async throws {
        file = try await SharedFile()
    }

    private func book(_ id: Int, _ title: String) -> Book { Book(id: id, title: title) }

    @Test(arguments: [false, true])
    func memoryIsWrittenToTheFileThatAnotherGraphHasCreated(isSuspended: Bool) async throws {
        let (first, second) = (file.first.cache, file.second.cache)
        first.set(contentsOf: (1...3).map { book($0, "old") })
        try await file.synchronize()
        await file.stopWatching()
        if isSuspended { try await file.second.graph.suspend() }
        first.set(contentsOf: [book(1, "new"), book(5, "new")])
        second.set(book(3, "later"))
        try file.delete()
        try await file.first.graph.flush()
        if isSuspended { try await file.second.graph.resume() }
        // The edit of the first book is overwritten, since the second graph has another value.
        try await file.second.graph.flush()
        try await file.expectAgreement(
            [book(1, "old"), book(2, "old"), book(3, "later"), book(5, "new")]
        )
        #expect(file.folder.errors.all.map(\.kind) == [.lostFile, .lostFile])
    }

    @Test func unwrittenChangesOutliveTheValuesOfOtherGraphs() async throws {
        let (first, second) = (file.first.cache, file.second.cache)
        first.set(contentsOf: [book(1, "old"), book(2, "old")])
        try await file.synchronize()
        await file.stopWatching()
        try file.delete()
        try await file.second.graph.flush()
        second.set(book(2, "edited"))
        try await file.first.graph.flush()
        try await file.second.graph.flush()
        try await file.expectAgreement([book(1, "old"), book(2, "edited")])
    }

    @Test(arguments: [false, true])
    func rowsOfTheFileAtThePathThatMemoryLacksAreLoaded(isSuspended: Bool) async throws {
        let other = file.folder.file("other.sqlite")
        do {
            let cache = Cache()
            let graph = try SQLiteGraph(other, wallClock: file.clock.wallClock) {
                Durable(Book.self, "book", load: .atStart)
                Durable(Profile.self, "profile").stamps(of: Int.self)
            }
            try await graph.attach(to: cache)
            cache.set(contentsOf: [book(1, "row"), book(2, "row")])
            for id in 1...2 { cache.set(Profile(id: id, name: "row", email: nil)) }
            cache.set(Profile(id: 3, name: "row", email: "row"))
            try await graph.detach()
        }
        file.clock.advance(by: .seconds(1))
        let cache = file.first.cache
        try await file.second.graph.detach()
        cache.set(contentsOf: [book(1, "memory"), book(3, "memory")])
        cache.set(Profile(id: 3, name: "memory", email: nil))
        let token = cache.cached(Profile.self, id: 1).observe { _ in }
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
        #expect(Set(cache.ids(of: Profile.self)) == [1, 3])
        #expect(cache[Profile.self, 3] == Profile(id: 3, name: "memory", email: "row"))
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
        try file.delete()
        try FileManager.default.moveItem(atPath: path + "-copy", toPath: path)
        file.clock.advance(by: .seconds(1))
        try await file.first.graph.flush()
        #expect(first[Book.self, 1] == book(1, "new"))
        let reader = try file.folder.graph { Durable(Book.self, "book") }
        #expect(try await reader.load(Book.self, id: 1) == book(1, "new"))
    }

    @Test func graphThatIsBehindImportsTheLostFile() async throws {
        let (first, second) = (file.first.cache, file.second.cache)
        first.set(contentsOf: (1...3).map { book($0, "old") })
        first.set(Profile(id: 1, name: "old", email: nil), modifiedAt: 1)
        try await file.synchronize()
        _ = try await file.second.graph.load(Profile.self, id: 1)
        await file.stopWatching()
        file.clock.advance(by: .seconds(1))
        first.set(book(1, "new"))
        first.set(Profile(id: 1, name: "new", email: nil), modifiedAt: 2)
        try await file.first.graph.flush()
        try file.delete()
        file.clock.advance(by: .seconds(1))
        try await file.second.graph.flush()
        second.set(book(3, "edited"))
        try await file.expectAgreement([book(1, "new"), book(2, "old"), book(3, "edited")])
        for cache in [first, second] { #expect(cache[Profile.self, 1]?.name == "new") }
    }

    @Test func unlistedRemovalsRemoveNoEntitiesThatTheFileLacks() async throws {
        let (first, second) = (file.first.cache, file.second.cache)
        first.set(Profile(id: 1, name: "old", email: nil))
        first.set(book(1, "old"))
        try await file.synchronize()
        try file.delete()
        file.clock.advance(by: .seconds(1))
        // The record of so many removals doesn't list them.
        for number in 1...20_000 { second.remove(Profile.self, id: -number * number * 7_919) }
        try await file.second.graph.flush()
        try await file.expectAgreement([book(1, "old")])
        #expect(first[Profile.self, 1]?.name == "old")
    }

    @Test func lastChangesOfACacheContainAllEntitiesThatTheFileLacks() async throws {
        let folder = try GraphFolder()
        let graph = try folder.graph()
        do {
            let cache = Cache()
            try await graph.attach(to: cache)
            cache.set(book(1, "old"))
            try await graph.flush()
            try FileManager.default.removeItem(at: folder.url)
            try await graph.engine.attachAgain()
        }
        try await graph.flush()
        #expect(try folder.run("SELECT id FROM book") == ["1"])
    }

    @Test func fileThatIsDeletedDuringAFlushIsNoticedByTheNextOne() async throws {
        let folder = try GraphFolder()
        let cache = Cache()
        let graph = try folder.graph {
            Durable(Book.self, "book")
            Durable(EncodedNote.self, "note")
        }
        try await graph.attach(to: cache)
        cache.set(book(1, "old"))
        try await graph.flush()
        cache.set(book(2, "new"))
        cache.set(EncodedNote(id: 200))
        EncodedNote.onEncoding(of: 200) {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: folder.url.path + suffix)
            }
        }
        for _ in 0..<2 { try await graph.flush() }
        #expect(try folder.run("SELECT id FROM book") == ["1", "2"])
        #expect(folder.errors.all.map(\.kind) == [.lostFile])
    }

    @Test(arguments: [false, true])
    func transactionsInADeletedLogAreKept(isShared: Bool) async throws {
        let (first, second) = (file.first.cache, file.second.cache)
        first.set(contentsOf: [book(1, "old"), book(2, "old")])
        try await file.synchronize()
        await file.stopWatching()
        if !isShared { try await file.second.graph.suspend() }
        try FileManager.default.removeItem(atPath: file.folder.url.path + "-wal")
        file.clock.advance(by: .seconds(1))
        second.set(book(3, "new"))
        first.set(book(1, "new"))
        if isShared {
            // SQLite can't open the file before the other graph has noticed the loss.
            let error = await #expect(throws: SQLiteGraphError.self) {
                try await file.first.graph.flush()
            }
            #expect(error?.kind == .lostFile)
            try await file.second.graph.flush()
        } else {
            try await file.first.graph.flush()
            try await file.second.graph.resume()
        }
        try await file.expectAgreement([book(1, "new"), book(2, "old"), book(3, "new")])
    }
}
