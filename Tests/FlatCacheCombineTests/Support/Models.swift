#if canImport(Combine) || OpenCombine

import FlatCache

/// A value that counts its changes, and may refer to another.
struct Book: Identifiable, Sendable, Equatable, HasCachedRelationships {
    let id: Int
    var revision = 0
    var author: Related<Author>?

    var relatedCacheKeys: Set<CacheKey> { author.map { [$0.cacheKey] } ?? [] }
}

/// A value that is referred to.
struct Author: Identifiable, Sendable, Equatable {
    let id: String
    var name = ""
}

/// A value that holds an object.
struct Loan: Identifiable, Sendable {
    final class Receipt: Sendable {}

    let id: Int
    var receipt = Receipt()
}

#endif
