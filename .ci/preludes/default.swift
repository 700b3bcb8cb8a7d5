// The models of a bookshop and values of them, which examples in the documentation can use without
// declaring them.
import FlatCache

struct Author: CacheEntity, Equatable, Codable {
    var id: String
    var name: String
}

struct Publisher: CacheEntity, Equatable, Codable {
    var id: String
    var name: String
}

struct Book: CacheEntity, Equatable, Codable {
    var id: Int
    var title: String
    var year: Int?
    var copies = 0
    var author: Related<Author>?
    var publisher: Related<Publisher>?
}

extension Book: Mergeable {
    func merged(with other: Book) -> Book {
        Book(
            id: id,
            title: other.title,
            year: other.year ?? year,
            copies: other.copies,
            author: other.author ?? author,
            publisher: other.publisher ?? publisher
        )
    }
}

extension Book: HasCachedRelationships {
    var relatedCacheKeys: Set<CacheKey> {
        Set([author?.cacheKey, publisher?.cacheKey].compactMap { $0 })
    }
}

/// The response of an endpoint.
struct Response: Codable, Sendable {
    var books: [Book]
    var authors: [Author]
    var publishers: [Publisher]
}

/// The client of an API, whose answers are empty.
struct API: Sendable {
    func book(_ id: Book.ID) async throws -> Book? { nil }
    func books(_ ids: [Book.ID]) async throws -> [Book] { [] }
    func page(_ number: Int) async throws -> Response {
        Response(books: [], authors: [], publishers: [])
    }
}

let api = API()
let cache = Cache()
let author = Author(id: "le-guin", name: "Ursula K. Le Guin")
let publisher = Publisher(id: "parnassus", name: "Parnassus Press")
let book = Book(
    id: 1,
    title: "A Wizard of Earthsea",
    year: 1968,
    author: Related(author),
    publisher: Related(publisher)
)
let books = [book]
let response = Response(books: books, authors: [author], publishers: [publisher])
