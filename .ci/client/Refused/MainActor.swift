// flags: -default-isolation MainActor
import FlatCache

nonisolated struct Author: Identifiable, Sendable {
    let id: Int
}

nonisolated struct Book: Identifiable, Sendable {
    let id: Int
    var year: Int?
    var author: Related<Author>
}

// error: conformance of 'Book' to protocol 'Mergeable' crosses into main actor-isolated code
extension Book: Mergeable {
    func merged(with other: Book) -> Book { other }
}

// error: conformance of 'Book' to protocol 'HasCachedRelationships' crosses into main actor-isolated code
extension Book: HasCachedRelationships {
    var relatedCacheKeys: Set<CacheKey> { [author.cacheKey] }
}

// error: conformance of 'Book' to protocol 'OwnsCachedValues' crosses into main actor-isolated code
extension Book: OwnsCachedValues {
    var ownedCacheKeys: Set<CacheKey> { [] }
}

// error: conformance of 'Book' to protocol 'Versioned' crosses into main actor-isolated code
extension Book: Versioned {
    static var versionKeyPath: KeyPath<Book, Int> { \.id }
}

struct Magazine {
    let id: Int
}

// error: main actor-isolated conformance of 'Magazine' to 'Identifiable' cannot satisfy
extension Magazine: CacheEntity {}

struct Shelf: Identifiable {
    let id: Int
}

func store(_ shelf: Shelf, in cache: Cache) {
    // error: main actor-isolated conformance of 'Shelf' to 'Identifiable'
    cache.set(shelf)
}
