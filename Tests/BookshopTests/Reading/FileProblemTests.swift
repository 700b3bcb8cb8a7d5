import Foundation
import Testing

@testable import Bookshop

@Suite("File problems")
struct FileProblemTests {
    /// Reads a folder with a single file and returns the problem with that file.
    private func problem(with contents: String) throws -> FileProblem {
        let folder = try TemporaryFolder(["a.json": contents])
        let reading = try ResponseFolder(url: folder.url).read()
        #expect(reading.responses.isEmpty)
        return try #require(reading.problems.first)
    }

    @Test(
        "Another shape is placed by its coding path",
        arguments: [
            (#"{"books": [{"id": 1}, {"id": 2, "author": 3}]}"#, "books[1].author"),
            (#"{"books": [{"id": 1, "year": "1965"}]}"#, "books[0].year"),
            (#"{"books": [{"id": 1}, {"title": "Dune"}]}"#, "books[1].id"),
            (#"{"books": [{"id": null}]}"#, "books[0].id"),
            (#"{"books": [null]}"#, "books[0]"),
            (#"{"books": {"id": 1}}"#, "books"),
            (#"{"authors": [{"id": 1}]}"#, "authors[0].id"),
            (#"{"removed": {"books": ["1"]}}"#, "removed.books[0]"),
            (#"[{"id": 1}]"#, "top level"),
            ("1", "top level"),
        ]
    )
    func codingPath(contents: String, path: String) throws {
        #expect(try problem(with: contents).place == path)
    }

    @Test("The problem of a text that isn't JSON has no place", arguments: ["", "{", "[1] x"])
    func invalidJSON(contents: String) throws {
        let problem = try problem(with: contents)
        #expect(problem.place == nil)
        #expect(problem.reason.contains("not valid JSON"))
    }

    @Test("A response needs a known member")
    func unknownMembers() throws {
        let problem = try problem(with: #"{"items": []}"#)
        #expect(problem.reason.hasPrefix("Expected at least one of the members books"))
    }

    @Test("The report names the file, the place and the reason")
    func description() {
        let problem = FileProblem(file: "a.json", place: "books[3].author", reason: "Odd.")
        #expect(problem.description == "a.json: books[3].author: Odd.")
        let placeless = FileProblem(file: "a.json", place: nil, reason: "Odd.")
        #expect(placeless.description == "a.json: Odd.")
    }

    @Test("Files are read in the order of their names, hidden ones left alone")
    func order() throws {
        let folder = try TemporaryFolder([
            "b.json": #"{"books": []}"#,
            "a.JSON": #"{"books": [], "page": 1}"#,
            ".c.json": "hidden",
        ])
        let reading = try ResponseFolder(url: folder.url).read()
        #expect(reading.responses.map(\.file) == ["a.JSON", "b.json"])
        #expect(reading.problems.isEmpty)
    }
}
