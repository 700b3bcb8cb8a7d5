// A module that is isolated to the main actor by default, like the targets of new apps. It has
// `nonisolated` models, a screen that observes, and writes in the background.
import FlatCache
import Foundation

nonisolated struct Author: Identifiable, Equatable, Codable, Sendable {
    let id: String
    var name: String
}

nonisolated struct Book: Identifiable, Equatable, Mergeable, HasCachedRelationships, Sendable {
    let id: Int
    var title: String
    var year: Int?
    var author: Related<Author>

    func merged(with other: Book) -> Book {
        Book(id: id, title: other.title, year: other.year ?? year, author: other.author)
    }

    var relatedCacheKeys: Set<CacheKey> { [author.cacheKey] }
}

// A wrapped property can't be part of a `nonisolated struct`. These conformances make the type
// nonisolated.
struct Magazine: CacheEntity, Codable, Equatable, Mergeable, HasCachedRelationships {
    let id: Int
    @Known var issue: Int?
    @Known var owner: OwnerRef?

    func merged(with other: Magazine) -> Magazine {
        var merged = self
        merged.$issue = $issue.merged(with: other.$issue)
        merged.$owner = $owner.merged(with: other.$owner)
        return merged
    }

    var relatedCacheKeys: Set<CacheKey> { owner.map { [$0.cacheKey] } ?? [] }
}

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

nonisolated struct Review: Identifiable, Sendable {
    let id: Int
    var stars: Int
    var book: Related<Book>
}

nonisolated extension Review: HasCachedRelationships {
    var relatedCacheKeys: Set<CacheKey> { [book.cacheKey] }
}

// Isolated to the main actor, like every declaration here that isn't `nonisolated`. The cache also
// stores reviews in the background, so it never uses this conformance.
extension Review: Equatable {
    static func == (left: Review, right: Review) -> Bool {
        MainActor.assertIsolated()
        return left.id == right.id && left.stars == right.stars
    }
}

/// An API that belongs to the main actor, with a response per page.
final class MagazineAPI {
    func magazines(after cursor: String?) async throws -> Page {
        MainActor.assertIsolated()
        let firstPage = #"{"items": [{"id": 7, "issue": 1}], "next": "b"}"#
        let text = cursor == nil ? firstPage : #"{"items": [8]}"#
        return try JSONDecoder().decode(Page.self, from: Data(text.utf8))
    }
}

final class Screen {
    private(set) var titles: [String] = []
    private(set) var reviews = 0
    private var observations: Set<Disposable> = []

    init(_ cache: Cache) {
        let book = cache.cached(Book.self, id: 1)
        book.observe(isolation: #isolation, initial: true) { [weak self] book in
            self?.titles.append(book.title)
        }.store(in: &observations)
        cache.cached(Review.self, id: 1).observeChanges(isolation: #isolation) { [weak self] _ in
            self?.reviews += 1
        }.store(in: &observations)
    }
}

func check(_ claim: String, _ holds: Bool) {
    print(holds ? "ok" : "WRONG", claim, separator: "  ")
    guard holds else { fatalError("the client's check failed: \(claim)") }
}

let response = Data(
    #"""
    {"items": [{"id": 2, "owner": {"type": "Author", "id": "atwood", "name": "Margaret Atwood"}}],
    "next": null}
    """#.utf8
)

struct Page: Decodable, Sendable {
    var items: ValidElements<Related<Magazine>>
    var next: String?
}

let cache = Cache()
cache.set(Book(id: 1, title: "Tehanu", author: Related("le-guin")))
cache.set(Review(id: 1, stars: 4, book: Related(1)))
let screen = Screen(cache)

try await Task.detached {
    cache.set(Book(id: 1, title: "Tehanu", year: 1990, author: Related("le-guin")))
    cache.set(Book(id: 1, title: "The Last Book of Earthsea", author: Related("le-guin")))
    cache.set(Review(id: 1, stars: 4, book: Related(1)))
    cache.set(Magazine(id: 1, issue: 754, owner: .author(Related("le-guin"))))
    cache.set(Magazine(id: 1))
    cache.performBatchUpdates { batch in
        batch.set(Review(id: 1, stars: 5, book: Related(1)))
        batch.set(Author(id: "le-guin", name: "Ursula K. Le Guin"))
    }
    let magazine = Data(#"{"id": 3, "issue": null}"#.utf8)
    try cache.ingest { try JSONDecoder().decode(Magazine.self, from: magazine) }
}.value
let page = try cache.ingest { try JSONDecoder().decode(Page.self, from: response) }

// The calls of one observation are in order, but not with those of the other.
while screen.titles.count < 4 || screen.reviews < 4 { await Task.yield() }
check("values merge in the background", cache[Book.self, 1]?.year == 1990)
check("an unknown value erases nothing", cache[Magazine.self, 1]?.issue == 754)
check(
    "a polymorphic relation finds its author",
    cache[Magazine.self, 1]?.owner?.value(in: cache) is Author
)
check("an equal review is stored, since its == belongs to the main actor", screen.reviews == 4)
check(
    "related changes arrive on the main actor",
    screen.titles.last == "The Last Book of Earthsea"
)
let api = MagazineAPI()
let magazines = cache.list("magazines", of: Magazine.self)
while magazines.next != .end {
    try await magazines.loadNext { cursor in
        let page = try await api.magazines(after: cursor)
        return ListPage(page.items, next: page.next)
    }
}
check("pages load on the main actor", magazines.ids == [7, 8] && magazines.elements.count == 1)
check("a response decodes on the main actor", page.items.map(\.id) == [2])
check(
    "an embedded entity of several types is stored",
    cache[Author.self, "atwood"]?.name == "Margaret Atwood"
)
check("a response decodes in the background", cache[Magazine.self, 3]?.$issue == .null)
check("lines are imported on the main actor", try await importLines(into: cache) == [1])
check("the song of a line refers to its singer", cache[Song.self, 1]?.singer == Related("s"))
check(
    "the song of a document has a singer",
    try importDocument(into: cache).first?.singer.value(in: cache)?.name == "T"
)
