import FlatCache

/// A value that refers to the next value of a chain.
struct ChainLink: Identifiable, Sendable, HasCachedRelationships {
    let id: Int
    var title: String
    var next: Related<ChainLink>?

    var relatedCacheKeys: Set<CacheKey> {
        if let next { [next.cacheKey] } else { [] }
    }
}
