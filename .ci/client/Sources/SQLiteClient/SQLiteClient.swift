import FlatCache
import FlatCacheSQLite
import Foundation

struct Book: CacheEntity, Codable, Equatable {
    let id: Int
    var title: String
}

/// An app that keeps its books in a file.
@main
enum SQLiteClient {
    static func main() async throws {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "SQLiteClient-\(UUID().uuidString).sqlite")
        let book = Book(id: 1, title: "A Wizard of Earthsea")
        let first = Cache()
        let graph = try SQLiteGraph(file) { Durable(Book.self, "book") }
        try await graph.attach(to: first)
        first.set(book)
        try await graph.detach()

        let second = Cache()
        try await graph.attach(to: second)
        let loaded = try await graph.load(Book.self, id: 1)
        precondition(loaded == book && second[Book.self, 1] == book, "The book is lost.")
        try await graph.detach()
        try FileManager.default.removeItem(at: file)
        print("The book is there after a restart.")
    }
}
