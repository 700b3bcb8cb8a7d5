import FlatCache

/// A list of books that the visitor keeps: a value of the app's own, which no response contains.
///
/// It refers to books and they to their authors, so an observer of the list is two steps away from
/// an author, and still hears of a change to one.
struct ReadingList: Identifiable, Equatable, Sendable {
    let id: String
    var books: [Related<Book>]
}

extension ReadingList: HasCachedRelationships {
    var relatedCacheKeys: Set<CacheKey> { Set(books.map(\.cacheKey)) }
}
