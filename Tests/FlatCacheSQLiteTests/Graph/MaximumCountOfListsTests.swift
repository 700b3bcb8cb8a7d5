import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of the maximum number of lists with a prefix in a file that two graphs share.
struct MaximumCountOfListsTests {
    private let file: SharedFile

    init() async throws {
        file = try await SharedFile {
            Durable(Book.self, "book")
            DurableLists(withPrefix: "search?", of: Book.self, maximumCount: 2)
            DurableLists(withPrefix: "shelf?", of: Book.self)
        }
    }

    /// Edits a list in the cache of a graph, and writes it a second later.
    private func write(_ name: String, _ side: SharedFile.Side) async throws {
        side.cache.list(name, of: Book.self).replace(withIDs: [1])
        try await side.graph.flush()
        file.clock.advance(by: .seconds(1))
    }

    private var storedNames: [String] {
        get throws { try file.folder.run("SELECT id FROM flatcache_lists_book ORDER BY id") }
    }

    @Test func listsWithOtherPrefixesDoNotCount() async throws {
        for name in ["shelf?a", "shelf?b", "shelf?c", "search?a", "search?b"] {
            try await write(name, file.first)
        }
        #expect(try storedNames == ["search?a", "search?b", "shelf?a", "shelf?b", "shelf?c"])
        try await write("search?c", file.first)
        #expect(try storedNames == ["search?b", "search?c", "shelf?a", "shelf?b", "shelf?c"])
    }

    @Test func listsOfOtherGraphsCount() async throws {
        try await write("search?a", file.first)
        try await write("search?b", file.second)
        try await write("search?c", file.first)
        #expect(try storedNames == ["search?b", "search?c"])
    }

    @Test func listsWrittenWhileTheClockWasAheadAreDeletedInTurn() async throws {
        file.clock.advance(by: .seconds(1_000))
        try await write("search?a", file.first)
        file.clock.advance(by: .seconds(-1_000))
        for name in ["search?b", "search?c", "search?d"] { try await write(name, file.first) }
        #expect(try storedNames == ["search?c", "search?d"])
    }

    @Test("A process that was away keeps lists whose rows were deleted because of the number")
    func deletionsAreNoRemovalsForAProcessThatWasAway() async throws {
        for name in ["search?a", "shelf?a"] { try await write(name, file.first) }
        try await file.second.graph.flush()
        try await file.second.graph.suspend()
        for name in ["search?b", "search?c"] { try await write(name, file.first) }
        try file.folder.run("DELETE FROM flatcache_lists_book WHERE id = 'shelf?a'")
        #expect(try storedNames == ["search?b", "search?c"])
        try file.folder.log().shorten(
            at: WallTime(milliseconds: 1_000 * 86_400_000),
            sizeLimit: .max
        )
        try await file.second.graph.resume()
        #expect(file.second.cache.list("search?a", of: Book.self).ids == [1])
        #expect(file.second.cache.list("search?c", of: Book.self).ids == [1])
        #expect(file.second.cache.list("shelf?a", of: Book.self).ids.isEmpty)
    }
}
