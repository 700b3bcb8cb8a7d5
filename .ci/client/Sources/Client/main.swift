// A client that uses only the public API, without Foundation.
import FlatCache

struct Author: Identifiable, Equatable, Sendable {
    var id: Int
    var name: String
}

struct Book: Identifiable, Equatable, Sendable, Mergeable, HasCachedRelationships {
    var id: Int
    var title: String?
    var pages: Int?
    var author: Related<Author>?

    func merged(with other: Book) -> Book {
        Book(
            id: id,
            title: other.title ?? title,
            pages: other.pages ?? pages,
            author: other.author ?? author
        )
    }

    var relatedCacheKeys: Set<CacheKey> {
        author.map { [$0.cacheKey] } ?? []
    }
}

/// One function for a cache and for a batch.
func ingest<Value: Identifiable & Sendable>(_ values: [Value], into cache: some CacheType)
where Value.ID: Sendable {
    cache.set(contentsOf: values)
}

struct Rejected: Error {}

/// The titles that the observer has received.
///
/// Not an actor: observers are called before `set` returns, and the checks read the titles right
/// after that.
final class Heard: @unchecked Sendable {
    // Guarded by the main thread: every write below happens on it, and observers are called on the
    // writing thread.
    var titles: [String?] = []
}

func check(_ what: String, _ holds: Bool) {
    print(holds ? "ok" : "WRONG", what, separator: "  ")
    guard holds else { fatalError("the client's check failed: \(what)") }
}

let cache = Cache()
let heard = Heard()

cache.set(Book(id: 1, title: "Dune"))
check("get returns what was set", cache.get(Book.self, id: 1)?.title == "Dune")
check("a missing value is nil", cache.get(Book.self, id: 2) == nil)

ingest([Book(id: 1, pages: 412, author: Related(7))], into: cache)
check(
    "a generic ingest merges",
    cache.get(Book.self, id: 1) == Book(id: 1, title: "Dune", pages: 412, author: Related(7))
)

let observation = cache.cached(Book.self, id: 1).observe { heard.titles.append($0.title) }
cache.performBatchUpdates { batch in
    ingest([Book(id: 1, title: "Dune Messiah")], into: batch)
    ingest([Author(id: 7, name: "Frank Herbert")], into: batch)
    check("a batch sees its own writes", batch.get(Author.self, id: 7) != nil)
}
check("a batch is visible when it returns", cache.get(Author.self, id: 7) != nil)
check("an observer hears once of a batch", heard.titles == ["Dune Messiah"])

cache.set(Author(id: 7, name: "F. Herbert"))
check("an observer hears of a related value", heard.titles.count == 2)

do {
    try cache.performBatchUpdates { batch in
        batch.set(Book(id: 3, title: "Never"))
        throw Rejected()
    }
} catch {
    check("a batch that throws is rolled back", cache.get(Book.self, id: 3) == nil)
}

observation.dispose()
cache.remove(Book.self, id: 1)
check("a removed value is gone", cache.get(Book.self, id: 1) == nil)
check("a disposed observer hears no more", heard.titles.count == 2)

checkQueries()
