import FlatCache
import FlatCacheFoundation
import Foundation
import TestSupport
import Testing

struct LocalizedErrorTests {
    private typealias Author = Library.Author

    private let cache = Cache()

    /// Expects the localized description of an error to be its description.
    private func expectDescription(
        containing text: String,
        _ body: () async throws -> Void
    ) async throws {
        let error = try #require(await #expect(throws: (any Error).self) { try await body() })
        #expect(error.localizedDescription == "\(error)")
        #expect(error.localizedDescription.contains(text))
    }

    @Test func loadErrorNamesTheRequest() async throws {
        try await expectDescription(containing: "authors?page=2") {
            _ = try await cache.load("authors?page=2", policy: .cacheOnly) { 1 }
        }
    }

    @Test func waitingErrorNamesTheEntity() async throws {
        try await expectDescription(containing: "Author") {
            _ = try await cache.cached(Author.self, id: "1").first(timeout: .zero)
        }
    }

    @Test func cursorErrorNamesTheCursor() async throws {
        try await expectDescription(containing: "c7") {
            let list = cache.list("authors", of: Author.self)
            try list.merge([Author(id: "1", name: "Le Guin")], after: "c7", next: nil)
        }
    }

    @Test func lineErrorNamesTheLine() async throws {
        try await expectDescription(containing: "Line 2") {
            let chunks = [Data("{\"id\": \"1\", \"name\": \"Le Guin\"}\nnothing\n".utf8)]
            for try await _ in JSONLines(of: Author.self, chunks: Chunks(chunks)) {}
        }
    }

    @Test func documentErrorContainsTheErrorsOfTheServer() async throws {
        try await expectDescription(containing: "Not Found") {
            let response = Data(#"{"errors": [{"title": "Not Found"}]}"#.utf8)
            try cache.ingest(JSONAPIDocument<Author>.self, from: response, types: Blog.types)
        }
    }
}
