#if Macros
import FlatCache
import FlatCacheTesting
import Foundation
import Testing

private struct Tag: CacheEntity { let id: Int }

/// A model whose conformances come from the macros.
@Mergeable @CachedRelationships
private struct Book: CacheEntity, Equatable, Codable {
    let id: Int
    var title: String
    var pages: Int?
    @Known var year: Int?
    @Known var tags: [Related<Tag>]?
    var author: Related<Author>
    var translator: Optional<Related<Author>>
    var editions: [String: [Related<Tag>?]] = [:]
    var genres: Set<Related<Tag>>?
    var owner: OwnerRef
    var owners: [OwnerRef] = []
    var `default`: Int?
    var merged: Int? { didSet {} }
    var keys: [Int] = []
    var isLong: Bool? { pages.map { $0 > 400 } }
}

@CachedRelationships
private final class Shelf: CacheEntity {
    let id: Int
    let books: [Related<Book>]

    init(id: Int, books: [Related<Book>]) {
        self.id = id
        self.books = books
    }
}

@Mergeable @CachedRelationships
private struct Folder: CacheEntity, Equatable {
    let id: Int
    var name: String?
    var children: [Related<Folder>] = []
    @CachedRelationshipsIgnored var parent: Related<Folder>?
    @Known @CachedRelationshipsIgnored var owner: Related<Author>?
}

@Mergeable
private struct Page<Item: Equatable & Sendable>: Equatable {
    var items: [Item]
    var next: Item?
}

private enum Shop {}

extension Shop {
    /// A model with a memberwise initializer, which `@Mergeable` calls.
    @Mergeable @CachedRelationships
    fileprivate struct Edition: CacheEntity, Equatable {
        let id: Int
        let format: String?
        var copies = 1
        let currency: String? = "EUR"
        private(set) var price: Double?
        private var shelf: String??
        @Known var year: Optional<Int>
        var book: Related<Book>?

        static func edition(
            _ format: String?,
            copies: Int = 1,
            price: Double? = nil,
            shelf: String?? = nil
        ) -> Edition {
            Edition(id: 1, format: format, copies: copies, price: price, shelf: shelf, year: nil)
        }
    }
}

/// The code of the macros at run time.
struct MacroModelTests {
    private let book = Book(
        id: 1,
        title: "Tehanu",
        pages: 226,
        year: 1990,
        tags: [Related(1)],
        author: Related(1),
        translator: Related(2),
        editions: ["a": [Related(2), nil]],
        genres: [Related(3)],
        owner: .author(Related(3)),
        owners: [.author(Related(4)), .other(UnknownRelation(type: "Team", id: 1))],
        default: 1,
        merged: 2,
        keys: [5]
    )

    /// The book, and a copy for each change of one property.
    private var samples: [Book] {
        let changes: [(inout Book) -> Void] = [
            { $0.title = "The Other Wind" }, { $0.pages = nil }, { $0.pages = 500 },
            { $0.year = nil }, { $0.$year = .unknown }, { $0.year = 2001 },
            { $0.tags = nil }, { $0.$tags = .unknown }, { $0.author = Related(9) },
            { $0.translator = nil }, { $0.translator = Related(9) }, { $0.editions = [:] },
            { $0.genres = nil }, { $0.genres = [] }, { $0.owner = .author(Related(9)) },
            { $0.owners = [] }, { $0.default = nil }, { $0.default = 9 }, { $0.merged = nil },
            { $0.merged = 9 }, { $0.keys = [] },
        ]
        return [book]
            + changes.map { change in
                var copy = book
                change(&copy)
                return copy
            }
    }

    @Test func modelPassesTheConformanceCheck() {
        #expect(EntityConformance.check(samples) == [])
    }

    @Test func relationshipsOfEveryShapeAreFound() {
        let authors = Set([1, 2, 3, 4].map { CacheKey(Author.self, id: $0) })
        let tags = Set([1, 2, 3].map { CacheKey(Tag.self, id: $0) })
        let owners = Set(book.owners.map(\.cacheKey))
        #expect(book.relatedCacheKeys == authors.union(tags).union(owners))
        let shelf = Shelf(id: 1, books: [Related(1), Related(2)])
        #expect(shelf.relatedCacheKeys == Set([1, 2].map { CacheKey(Book.self, id: $0) }))
    }

    @Test func ignoredPropertiesAreMergedButNotFollowed() {
        let folder = Folder(id: 2, children: [Related(3)], parent: Related(1), owner: Related(1))
        #expect(folder.relatedCacheKeys == [CacheKey(Folder.self, id: 3)])
        let merged = folder.merged(with: Folder(id: 2, name: "B", owner: Related(2)))
        #expect(merged == Folder(id: 2, name: "B", parent: Related(1), owner: Related(2)))
    }

    @Test func cacheMergesTheModel() {
        let cache = Cache()
        cache.set(book)
        cache.set(
            Book(
                id: 1,
                title: "Tehanu!",
                author: Related(1),
                translator: nil,
                owner: .author(Related(3))
            )
        )
        var expected = book
        expected.title = "Tehanu!"
        expected.editions = [:]
        expected.owners = []
        expected.keys = []
        #expect(cache[Book.self, 1] == expected)
    }

    @Test func memberwiseMergeKeepsPrivateValuesConstantsAndNull() {
        var older = Shop.Edition.edition("paperback", price: 7.5, shelf: .some(nil))
        older.book = Related(1)
        older.year = nil
        let newer = Shop.Edition.edition(nil, copies: 2)
        var expected = older
        expected.copies = 2
        #expect(older.merged(with: newer) == expected)
        #expect(newer.merged(with: older) == older)
        #expect(older.merged(with: .edition("ebook", price: 8, shelf: "B")).price == 8)
    }

    @Test func genericStructMerges() {
        let merged = Page(items: [1], next: 2).merged(with: Page(items: [3]))
        #expect(merged == Page(items: [3], next: 2))
    }
}
#endif
