import FlatCache

/// An entity under fire: a stamp that no other write has, and relationships to others of its kind.
struct Spark: Identifiable, Sendable {
    let id: Int
    let stamp: Int
    /// What it refers to; `nil` in a value that arrives without saying, and so leaves it as it is.
    var links: SparkIDs?
    /// Told, under the writers' lock, what this is merged into and what comes of it.
    var onMerge: (@Sendable (_ existing: Spark, _ result: Spark) -> Void)?

    /// All identifiers as keys, since making one takes its time.
    private static let keys = (0..<SparkIDs.limit).map { CacheKey(Spark.self, id: $0) }
    private static let idsByKey = Dictionary(uniqueKeysWithValues: zip(keys, keys.indices))

    /// The identifiers of keys, or `nil` if one of them is not the key of a spark.
    static func ids(of keys: Set<CacheKey>) -> SparkIDs? {
        var ids = SparkIDs()
        for key in keys {
            guard let id = idsByKey[key] else { return nil }
            ids.insert(id)
        }
        return ids
    }
}

extension Spark: Equatable {
    static func == (left: Spark, right: Spark) -> Bool {
        left.id == right.id && left.stamp == right.stamp && left.links == right.links
    }
}

extension Spark: Mergeable {
    func merged(with other: Spark) -> Spark {
        let result = Spark(id: id, stamp: other.stamp, links: other.links ?? links)
        other.onMerge?(self, result)
        return result
    }
}

extension Spark: HasCachedRelationships {
    var relatedCacheKeys: Set<CacheKey> { Set((links?.all ?? []).map { Self.keys[$0] }) }
}

extension Spark: CustomStringConvertible {
    var description: String { "#\(id)·\(stamp)→\(links.map { "\($0.all)" } ?? "-")" }
}
