import Foundation
import Testing

@testable import Bookshop

@Suite("API")
struct APITests {
    private let collected = CollectedOutput()

    @Test("The name of a file consists of the words of the request")
    func fileNames() async throws {
        let folder = try TemporaryFolder([
            "books.json": "1", "books-2.json": "2", "books-after-page-x.json": "3",
        ])
        let api = API(folder: folder.url, output: collected.output)
        #expect(try await api.get("books", as: Int.self) == 1)
        #expect(try await api.get("books/2", as: Int.self) == 2)
        #expect(try await api.get("books?after=page-x", as: Int.self) == 3)
        #expect(collected.lines == ["GET books", "GET books/2", "GET books?after=page-x"])
    }

    @Test("A request without a file finds no answer")
    func notFound() async throws {
        let folder = try TemporaryFolder(["books.json": "1", "secret.txt": "2"])
        let api = API(folder: folder.url, output: collected.output)
        for path in ["authors", "books/1", "secret.txt", ""] {
            await #expect(throws: NotFound.self) { try await api.get(path, as: Int.self) }
        }
    }

    @Test("A request can't leave the folder")
    func otherFolder() async throws {
        let folder = try TemporaryFolder(["a.json": "1"])
        try folder.addFolder("inner")
        try folder.write("2", to: "inner/b.json")
        let api = API(folder: folder.url.appending(path: "inner"), output: collected.output)
        await #expect(throws: NotFound.self) { try await api.get("../a", as: Int.self) }
    }
}
