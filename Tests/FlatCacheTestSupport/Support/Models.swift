import FlatCache

/// An entity with relationships that is `Equatable` and `Mergeable`, like the models of an app.
struct Book: CacheEntity, Equatable, Mergeable, HasCachedRelationships {
    let id: Int
    var title: String?
    var year: Int?
    var author: Related<Author>?
    var sequel: Related<Book>?

    init(
        id: Int,
        title: String? = nil,
        year: Int? = nil,
        author: Author.ID? = nil,
        sequel: Book.ID? = nil
    ) {
        self.id = id
        self.title = title
        self.year = year
        self.author = author.map { Related($0) }
        self.sequel = sequel.map { Related($0) }
    }

    func merged(with other: Book) -> Book {
        var merged = self
        merged.title = other.title ?? title
        merged.year = other.year ?? year
        merged.author = other.author ?? author
        merged.sequel = other.sequel ?? sequel
        return merged
    }

    var relatedCacheKeys: Set<CacheKey> {
        var keys: Set<CacheKey> = []
        if let author { keys.insert(author.cacheKey) }
        if let sequel { keys.insert(sequel.cacheKey) }
        return keys
    }
}

/// An `Equatable` entity with any number of relationships.
struct Author: CacheEntity, Equatable, HasCachedRelationships {
    let id: String
    var name: String
    var books: [Related<Book>] = []

    var relatedCacheKeys: Set<CacheKey> { Set(books.map(\.cacheKey)) }
}

/// An entity that is only `Identifiable`.
struct Note: Identifiable, Sendable {
    let id: Int
    var text: String
}
