import FlatCache

/// A book that refers to its author.
struct Novel: Identifiable, Sendable, HasCachedRelationships {
    let id: Int
    var title: String
    var author: Related<Novelist>

    var relatedCacheKeys: Set<CacheKey> { [author.cacheKey] }
}
