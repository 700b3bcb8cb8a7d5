@testable import FlatCache

/// An entity that belongs to a group.
struct Item: Identifiable, Hashable, Sendable {
    let id: Int
    var group = 0
    var price = 0
}

/// The members of a group of items, which a deriver keeps up to date.
struct ItemGroup: Identifiable, Hashable, Sendable, HasCachedRelationships {
    let id: Int
    var members: Set<Int> = []

    var relatedCacheKeys: Set<CacheKey> { Set(members.map { CacheKey(Item.self, id: $0) }) }
}
