import Foundation
import Testing

@testable import Bookshop

@Suite("File errors")
struct FileErrorTests {
    /// Requests a response from a folder with a single file and returns the error of that file.
    private func error(with contents: String) async throws -> FileError {
        let folder = try TemporaryFolder(["a.json": contents])
        let api = try API(folder: folder.url, output: CollectedOutput().output)
        let thrown = await #expect(throws: FileError.self) {
            try await api.get("a", as: BookPage.self)
        }
        let error = try #require(thrown)
        #expect(error.file == "a.json")
        return error
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
        #expect(try await error(with: contents).place == path)
    }

    @Test("The error of a text that isn't JSON has no place", arguments: ["", "{", "[1] x"])
    func invalidJSON(contents: String) async throws {
        let error = try await error(with: contents)
        #expect(error.place == nil)
        #expect(error.reason.contains("not valid JSON"))
    }

    @Test("An error inside a nested object names the types of the entities")
    func nestedTypes() async throws {
        let json = #"{"items": [{"id": 2, "title": "", "author": {"id": "a", "name": 1}}]}"#
        let error = try await error(with: json)
        #expect(error.place == "items[0].author.name")
        #expect(error.reason.contains("Related<Author>"))
    }

    @Test("The report names the file, the place and the reason")
    func description() {
        let error = FileError(file: "a.json", place: "books[3].author", reason: "Odd.")
        #expect(error.description == "a.json: books[3].author: Odd.")
        let placeless = FileError(file: "a.json", place: nil, reason: "Odd.")
        #expect(placeless.description == "a.json: Odd.")
    }
}
