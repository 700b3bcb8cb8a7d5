// A client with the trait Macros, in a module that is isolated to the main actor by default. The
// macros write the conformances of its models, also where a model isn't a `CacheEntity`.
import FlatCache

struct Author: CacheEntity, Equatable, Codable {
    let id: Int
    var name: String
}

struct Tag: CacheEntity { let id: Int }

enum OwnerRef: PolymorphicRelation {
    case author(Related<Author>), other(UnknownRelation)

    static let cases = [
        RelationCase("Author", OwnerRef.author) {
            if case .author(let author) = $0 { author } else { nil }
        },
        RelationCase(unknown: OwnerRef.other) {
            if case .other(let other) = $0 { other } else { nil }
        },
    ]
}

@Mergeable
@CachedRelationships
struct Book: CacheEntity, Equatable, Codable {
    let id: Int
    var title: String
    let subtitle: String?
    private(set) var pages: Int?
    @Known var year: Int?
    @Known var tags: [Related<Tag>]?
    var author: Related<Author>
    var owner: OwnerRef?
}

@Mergeable
@CachedRelationships
struct Shelf: Identifiable {
    let id: Int
    var books: [Related<Book>]
    var label: String?

    init(id: Int, books: [Related<Book>], label: String? = nil) {
        self.id = id
        self.books = books
        self.label = label
    }
}

@Mergeable
struct Size: Identifiable {
    let id: Int
    var width = 0
    var height: Int?
}

@Mergeable
nonisolated struct Note: Identifiable {
    let id: Int
    private var text: String?

    init(id: Int, text: String?) {
        self.id = id
        self.text = text
    }

    var words: [Substring] { (text ?? "").split(separator: " ") }
}

@Mergeable
struct Rating: CacheEntity, Equatable {
    let id: Int
    var stars: Int?
    private var comment: String?

    static func stars(_ stars: Int, _ comment: String? = nil) -> Rating {
        Rating(id: 1, stars: stars, comment: comment)
    }
}

@CachedRelationships
final class Drawer: CacheEntity {
    let id: Int
    let books: Set<Related<Book>>

    init(id: Int, books: Set<Related<Book>>) {
        self.id = id
        self.books = books
    }
}

let cache = Cache()
cache.set(
    Book(id: 1, title: "Tehanu", subtitle: "Earthsea", pages: 226, year: 1990, author: Related(1))
)
cache.set(
    Book(id: 1, title: "Tehanu!", subtitle: nil, author: Related(2), owner: .author(Related(3)))
)
let book = cache[Book.self, 1]
precondition(book?.title == "Tehanu!" && book?.subtitle == "Earthsea" && book?.pages == 226)
precondition(book?.year == 1990 && book?.$tags == .unknown)
precondition(book?.relatedCacheKeys == Set([2, 3].map { CacheKey(Author.self, id: $0) }))

cache.set(Shelf(id: 1, books: [], label: "new"))
cache.set(Shelf(id: 1, books: [Related(1)]))
precondition(cache[Shelf.self, 1]?.label == "new")

cache.set(Note(id: 1, text: "two words"))
cache.set(Note(id: 1, text: nil))
precondition(cache[Note.self, 1]?.words.count == 2)

cache.set(Rating.stars(3, "fine"))
cache.set(Rating.stars(4))
precondition(cache[Rating.self, 1] == .stars(4, "fine"))

precondition(cache[Shelf.self, 1]?.relatedCacheKeys == [CacheKey(Book.self, id: 1)])
cache.set(Size(id: 1, width: 1, height: 2))
cache.set(Size(id: 1, width: 3))
precondition(cache[Size.self, 1]?.width == 3 && cache[Size.self, 1]?.height == 2)

precondition(Drawer(id: 1, books: [Related(1)]).relatedCacheKeys == [CacheKey(Book.self, id: 1)])
print("Macros in a module isolated to the main actor: as expected")
