import FlatCache

/// A book, with the properties that the responses so far have contained.
///
/// A list page contains the title and the author, and a detail response the rest. All properties
/// except the identifier are therefore optional, and the type is `Mergeable`.
struct Book: Identifiable, Equatable, Sendable {
    let id: Int
    var title: String?
    var author: Related<Author>?
    var year: Int?
    var language: String?
    var genre: String?
    var publisher: Related<Publisher>?
}

extension Book: Mergeable {
    func merged(with other: Book) -> Book {
        Book(
            id: id,
            title: other.title ?? title,
            author: other.author ?? author,
            year: other.year ?? year,
            language: other.language ?? language,
            genre: other.genre ?? genre,
            publisher: other.publisher ?? publisher
        )
    }
}

extension Book: HasCachedRelationships {
    var relatedCacheKeys: Set<CacheKey> {
        Set([author?.cacheKey, publisher?.cacheKey].compactMap { $0 })
    }
}

extension Book: Decodable {}
