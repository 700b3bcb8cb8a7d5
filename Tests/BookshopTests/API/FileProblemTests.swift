import Foundation
import Testing

@testable import Bookshop

@Suite("File problems")
struct FileProblemTests {
    /// Requests a response from a folder with a single file and returns the problem with that file.
    private func problem(with contents: String) async throws -> FileProblem {
        let folder = try TemporaryFolder(["a.json": contents])
        let api = try API(folder: folder.url, output: CollectedOutput().output)
        let error = await #expect(throws: FileProblem.self) {
            try await api.get("a", as: BookPage.self)
        }
        let problem = try #require(error)
        #expect(problem.file == "a.json")
        return problem
    }

    @Test(
        "Another shape is placed by its coding path",
        arguments: [
            (#"{"items": [1, {"id": 2, "title": "", "author": []}]}"#, "items[1].author"),
            (
                #"{"items": [{"id": 2, "title": "", "author": {"id": "a", "born": 1}}]}"#,
                "items[0].author.name"
            ),
            (#"{"items": [{"id": 1, "title": "", "author": "", "year": ""}]}"#, "items[0].year"),
            (#"{"items": [{"id": 1, "author": ""}]}"#, "items[0].title"),
            (#"{"items": [null]}"#, "items[0]"),
            (#"{"items": {"id": 1}}"#, "items"),
            (#"{"items": [], "next": 2}"#, "next"),
            (#"{"books": []}"#, "items"),
            (#"[{"id": 1}]"#, "top level"),
            ("1", "top level"),
        ]
    )
    func codingPath(contents: String, path: String) async throws {
        #expect(try await problem(with: contents).place == path)
    }

    @Test("The problem of a text that isn't JSON has no place", arguments: ["", "{", "[1] x"])
    func invalidJSON(contents: String) async throws {
        let problem = try await problem(with: contents)
        #expect(problem.place == nil)
        #expect(problem.reason.contains("not valid JSON"))
    }

    @Test("A problem inside a nested object names the types of the entities")
    func nestedTypes() async throws {
        let json = #"{"items": [{"id": 2, "title": "", "author": {"id": "a", "name": 1}}]}"#
        let problem = try await problem(with: json)
        #expect(problem.place == "items[0].author.name")
        #expect(problem.reason.contains("Related<Author>"))
    }

    @Test("The report names the file, the place and the reason")
    func description() {
        let problem = FileProblem(file: "a.json", place: "books[3].author", reason: "Odd.")
        #expect(problem.description == "a.json: books[3].author: Odd.")
        let placeless = FileProblem(file: "a.json", place: nil, reason: "Odd.")
        #expect(placeless.description == "a.json: Odd.")
    }
}
