import FlatCache

struct Book: Identifiable, Sendable {
    let id: Int
    var title = ""
}

let cache = Cache()
let book = cache.cached(Book.self, id: 1)
let list = cache.list("bestsellers", of: Book.self)

// error: Set the handle's value
let handle = cache.set(book)
// error: Change the list through itself
let same = cache.set(list)

func load(from cache: Cache) async throws {
    // error: configuration.limit(Book.self, staleAfter: .seconds(60))
    _ = try await cache.load(Book.self, id: 1, staleAfter: .seconds(60)) { Book(id: 1) }
    // error: configuration.limit(Book.self, staleAfter: .seconds(60))
    _ = try await cache.load(Book.self, id: 1, staleAfter: .seconds(60))
}
