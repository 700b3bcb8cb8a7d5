import FlatCache

struct Book: Identifiable, Sendable {
    let id: Int
    var title = ""
}

let cache = Cache()
let book = cache.cached(Book.self, id: 1)
let list = cache.list("bestsellers", of: Book.self)

// error: cache.observeAll(Book.self) { … }
let all = cache.observe(Book.self) { print($0.title) }
// error: Observe through the handle
let handled = cache.observe(book) { print($0.title) }
// error: Observe through the list
let listed = cache.observe(list) { print($0.count) }

func load(from cache: Cache) async throws {
    // error: configuration.limit(Book.self, staleAfter: .seconds(60))
    _ = try await cache.load(Book.self, id: 1, staleAfter: .seconds(60)) { Book(id: 1) }
    // error: configuration.limit(Book.self, staleAfter: .seconds(60))
    _ = try await cache.load(Book.self, id: 1, staleAfter: .seconds(60))
}
