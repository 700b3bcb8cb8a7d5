import FlatCache

/// A value that merges, refers to others and compares: what an app's models look like.
struct Book: Identifiable, Sendable, Equatable, Mergeable, HasCachedRelationships {
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

/// A value that compares, and refers to any number of others.
struct Author: Identifiable, Sendable, Equatable, HasCachedRelationships {
    let id: String
    var name: String
    var books: [Related<Book>] = []

    var relatedCacheKeys: Set<CacheKey> { Set(books.map(\.cacheKey)) }
}

/// A value that is identifiable and no more.
struct Note: Identifiable, Sendable {
    let id: Int
    var text: String
}
