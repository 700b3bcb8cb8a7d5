import FlatCache

struct Book: Identifiable, Sendable {
    let id: Int
    var title = ""
}

func load(from cache: Cache) async throws {
    // error: configuration.limit(Book.self, staleAfter: .seconds(60))
    _ = try await cache.load(Book.self, id: 1, staleAfter: .seconds(60)) { Book(id: 1) }
    // error: configuration.limit(Book.self, staleAfter: .seconds(60))
    _ = try await cache.load(Book.self, id: 1, staleAfter: .seconds(60))
}
