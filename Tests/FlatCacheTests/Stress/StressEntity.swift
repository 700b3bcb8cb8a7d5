import FlatCache

/// An entity under fire: a stamp that no other write has, and relationships to others of its kind.
struct StressEntity: Identifiable, Sendable {
    let id: Int
    let stamp: Int
    /// What it refers to; `nil` in a value that arrives without saying, and so leaves it as it is.
    var links: StressEntityIDs?
    /// Told, under the writers' lock, what this is merged into and what comes of it.
    var onMerge: (@Sendable (_ existing: StressEntity, _ result: StressEntity) -> Void)?

    /// All identifiers as keys, since making one takes its time.
    private static let keys = (0..<StressEntityIDs.limit).map {
        CacheKey(StressEntity.self, id: $0)
    }
    private static let idsByKey = Dictionary(uniqueKeysWithValues: zip(keys, keys.indices))

    /// The identifiers of keys, or `nil` if one of them is not the key of a spark.
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
