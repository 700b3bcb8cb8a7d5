import FlatCache
import FlatCacheFoundation
import Foundation
import TestSupport
import Testing

struct JSONLinesIngestingTests {
    typealias Author = Library.Author
    typealias Book = Library.Book

    let cache = Cache()
    /// Ten books, each with a new author.
    let lines = (0..<10).map {
        #"{"id": \#($0), "title": "T\#($0)", "author": {"id": "\#($0)", "name": "N\#($0)"}}"#
    }

    @Test func storesTheLinesInCommits() async throws {
        let progress = Recorder<Int>()
        let versions = Recorder<UInt64>()
        let chunks = Chunks(data(lines.joined(separator: "\n")).chunks(of: 100))
        let count = try await cache.ingest(
            contentsOf: JSONLines(of: Book.self, chunks: chunks),
            perCommit: 4
        ) { storedCount in
            progress.append(storedCount)
            versions.append(cache.version)
            #expect(cache.count(of: Book.self) == storedCount)
            #expect(cache.count(of: Author.self) == storedCount)
        }
        #expect(count == 10)
        #expect(progress.all == [4, 8, 10])
        #expect(versions.all == [1, 2, 3])
        #expect(cache[Book.self, 7]?.author?.value(in: cache)?.name == "N7")
    }

    @Test func requestsAChunkAfterTheCommitOfTheLinesBefore() async throws {
        let source = Chunks(lines.map { data($0 + "\n") })
        let requests = Recorder<Int>()
        try await cache.ingest(
            contentsOf: JSONLines(of: Book.self, chunks: source),
            perCommit: 3
        ) { _ in
            requests.append(source.requests.count)
        }
        #expect(requests.all == [3, 6, 9, 11])
    }

    @Test func storesTheEntitiesOfReferences() async throws {
        let count = try await cache.ingest(
            contentsOf: JSONLines(of: Related<Book>.self, lines: Chunks(lines + ["11"])),
            perCommit: 5
        )
        #expect(count == 11)
        #expect(cache.ids(of: Book.self).sorted() == Array(0..<10))
        #expect(cache.count(of: Author.self) == 10)
    }

    @Test func storesTheEntitiesEmbeddedInOtherValues() async throws {
        struct Row: Decodable { var book: Related<Book> }
        let rows = lines.map { #"{"book": \#($0)}"# }
        let count = try await cache.ingest(
            contentsOf: JSONLines(of: Row.self, lines: Chunks(rows)),
            perCommit: 5
        )
        #expect(count == 10)
        #expect(cache.count(of: Book.self) == 10)
        #expect(cache.version == 2)
    }

    @Test func storesTheEntitiesInCollections() async throws {
        let rows = lines.map { "[\($0), \($0)]" } + ["[]"]
        try await cache.ingest(contentsOf: JSONLines(of: [Book].self, lines: Chunks(rows)))
        #expect(cache.count(of: Book.self) == 10)
        let optional = Chunks(["null", lines[0]])
        let other = Cache()
        try await other.ingest(contentsOf: JSONLines(of: Book?.self, lines: optional))
        #expect(other.count(of: Book.self) == 1)
    }

    @Test func mergesInTheOrderOfTheLines() async throws {
        let lines = [
            #"{"id": 1, "title": "A", "year": 1}"#, #"{"id": 1, "title": "B"}"#,
            #"{"id": 1, "title": "C", "year": null}"#,
        ]
        try await cache.ingest(
            contentsOf: JSONLines(of: Book.self, lines: Chunks(Array(lines[..<2]))),
            modifiedAt: 2
        )
        #expect(cache[Book.self, 1] == Book(id: 1, title: "B", year: 1))
        try await cache.ingest(
            contentsOf: JSONLines(of: Book.self, lines: Chunks(lines)),
            modifiedAt: 1
        )
        #expect(cache[Book.self, 1] == Book(id: 1, title: "B", year: 1))
    }

    @Test(arguments: [0, 3, 4, 9])
    func errorKeepsTheCommitsBefore(index: Int) async throws {
        var lines = lines
        lines[index] = #"{"id": 1, "title": "A", "author": {"id": "z", "name": null}}"#
        let text = "\n" + lines.joined(separator: "\n")
        let error = try await #require(throws: SequenceIngestionError.self) {
            try await cache.ingest(
                contentsOf: JSONLines(of: Book.self, bytes: Chunks(Array(text.utf8))),
                perCommit: 4
            )
        }
        let stored = index / 4 * 4
        #expect(error.storedCount == stored)
        #expect(error.position == index)
        #expect(cache.ids(of: Book.self).sorted() == Array(0..<stored))
        #expect(cache.count(of: Author.self) == stored)
        let lineError = try #require(error.underlyingError as? JSONLineError)
        #expect(lineError.line == index + 2)
        #expect(lineError.codingPath.map(\.stringValue) == ["author", "name"])
        #expect("\(error)".contains("Line \(index + 2) contains no valid Book at .author.name"))
    }

    @Test func cancellationKeepsTheCommitsBefore() async throws {
        let source = Chunks(lines)
        let task = Task { [cache] in
            try await cache.ingest(
                contentsOf: JSONLines(of: Book.self, lines: source),
                perCommit: 2
            ) { storedCount in
                if storedCount == 4 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(cache.ids(of: Book.self).sorted() == Array(0..<4))
        #expect(source.requests.count == 4)
    }

    @MainActor
    @Test func progressArrivesOnTheActorOfTheCaller() async throws {
        var counts: [Int] = []
        let bytes = Chunks(Array(lines.joined(separator: "\n").utf8))
        try await cache.ingest(
            contentsOf: JSONLines(of: Book.self, bytes: bytes),
            perCommit: 5
        ) { storedCount in
            MainActor.assertIsolated()
            counts.append(storedCount)
        }
        #expect(counts == [5, 10])
    }
}
