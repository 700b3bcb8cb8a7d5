// The models of the README's first example, which its first lines use, too.
import FlatCache

struct Author: CacheEntity, Codable, Equatable {
    let id: String
    var name: String
}

struct Book: CacheEntity, Codable, Equatable, Mergeable, HasCachedRelationships {
    let id: Int
    var title: String
    @Known var year: Int?
    var author: Related<Author>

    // Partial values from different endpoints become a whole one.
    func merged(with other: Book) -> Book {
        var merged = other
        merged.$year = $year.merged(with: other.$year)
        return merged
    }

    // An observer of a book also receives changes to its author. @CachedRelationships writes this.
    var relatedCacheKeys: Set<CacheKey> { [author.cacheKey] }
}

/// The client of an API, whose answers are empty.
struct API: Sendable {
    func book(_ id: Book.ID) async throws -> Book? { nil }
}

let api = API()
let cache = Cache()
