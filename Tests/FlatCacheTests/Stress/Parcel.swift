import FlatCache

/// An entity that holds an object, and refers to another of its kind.
struct Parcel: Identifiable, Sendable, HasCachedRelationships {
    let id: Int
    let stamp: Int
    var next: Int
    let receipt: Receipt

    var relatedCacheKeys: Set<CacheKey> { [CacheKey(Parcel.self, id: next)] }

    /// The same without the object, to be kept.
    var spark: StressEntity { StressEntity(id: id, stamp: stamp) }
}

extension EntityChange<Parcel>.Kind {
    /// The same, of a change to a spark.
    var ofEntity: EntityChange<StressEntity>.Kind {
        switch self {
        case .inserted: .inserted
        case .updated: .updated
        case .removed: .removed(.explicit)
        case .expired: .expired
        case .related: .related
        }
    }
}
