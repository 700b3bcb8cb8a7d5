#if canImport(Combine) || OpenCombine

import FlatCache

/// An entity with a revision and an optional relationship.
struct Book: Identifiable, Sendable, Equatable, HasCachedRelationships {
    let id: Int
    var revision = 0
    var author: Related<Author>?

    var relatedCacheKeys: Set<CacheKey> { author.map { [$0.cacheKey] } ?? [] }
}

/// An entity that books refer to.
struct Author: Identifiable, Sendable, Equatable {
    let id: String
    var name = ""
}

/// An entity that holds an object.
struct Loan: Identifiable, Sendable {
    final class Receipt: Sendable {}

    let id: Int
    var receipt = Receipt()
}

#endif
