import FlatCache

/// A book.
///
/// Every response contains the title and the author. The pages of a list leave out the rest, so
/// these properties are `@Known`: unknown, null or a value.
struct Book: CacheEntity, Codable, Equatable, Mergeable, HasCachedRelationships {
    let id: Int
    var title: String

    /// The author, who is an identifier or a nested object in the response.
    var author: Related<Author>
    @Known var year: Int?

    /// The series that the book belongs to, or null if it stands alone.
    @Known var series: String?
    @Known var publisher: Related<Publisher>?

    /// Partial values of one book, from different responses, become a whole one.
    func merged(with other: Book) -> Book {
        var merged = other
        merged.$year = $year.merged(with: other.$year)
        merged.$series = $series.merged(with: other.$series)
        merged.$publisher = $publisher.merged(with: other.$publisher)
        return merged
    }

    /// An observer of a book also receives the changes to its author and its publisher.
    var relatedCacheKeys: Set<CacheKey> {
        Set([author.cacheKey, publisher?.cacheKey].compactMap { $0 })
    }
}
