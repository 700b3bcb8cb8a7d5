import FlatCache

@testable import FlatCacheTestSupport

/// The entity of the observer stress tests, with a stamp that identifies its write and
/// relationships to entities of its own type.
struct StressEntity: Identifiable, Sendable {
    let id: Int
    let stamp: Int
    /// The related identifiers, or `nil` in a partial value, which keeps the relationships of the
    /// stored value.
    var links: StressEntityIDs?
    /// A closure that `merged(with:)` calls, under the writers' lock, with the stored value and the
    /// merged value.
    var onMerge: (@Sendable (_ existing: StressEntity, _ result: StressEntity) -> Void)?

    /// The keys of all identifiers, created once because the tests need them often.
    private static let keys = (0..<StressEntityIDs.limit).map {
        CacheKey(StressEntity.self, id: $0)
    }
    private static let idsByKey = Dictionary(uniqueKeysWithValues: zip(keys, keys.indices))

    /// Returns the identifiers in a set of keys, or `nil` if a key belongs to another type.
    static func ids(of keys: Set<CacheKey>) -> StressEntityIDs? {
        var ids = StressEntityIDs()
        for key in keys {
            guard let id = idsByKey[key] else { return nil }
            ids.insert(id)
        }
        return ids
    }
}

extension StressEntity: Equatable {
    static func == (left: StressEntity, right: StressEntity) -> Bool {
        left.id == right.id && left.stamp == right.stamp && left.links == right.links
    }
}

extension StressEntity: Mergeable {
    func merged(with other: StressEntity) -> StressEntity {
        let result = StressEntity(id: id, stamp: other.stamp, links: other.links ?? links)
        other.onMerge?(self, result)
        return result
    }
}

extension StressEntity: HasCachedRelationships {
    var relatedCacheKeys: Set<CacheKey> { Set((links?.all ?? []).map { Self.keys[$0] }) }
}

extension StressEntity: CustomStringConvertible {
    var description: String { "#\(id)·\(stamp)→\(links.map { "\($0.all)" } ?? "-")" }
}
