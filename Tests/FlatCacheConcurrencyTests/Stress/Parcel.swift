import FlatCache

@testable import FlatCacheTestSupport

/// An entity that holds an object and has a relationship to another entity of its type.
struct Parcel: Identifiable, Sendable, HasCachedRelationships {
    let id: Int
    let stamp: Int
    var next: Int
    let receipt: Receipt

    var relatedCacheKeys: Set<CacheKey> { [CacheKey(Parcel.self, id: next)] }

    /// The same entity without the object, so that a record of it doesn't keep the object alive.
    var entity: StressEntity { StressEntity(id: id, stamp: stamp) }
}

extension EntityChange<Parcel>.Kind {
    /// The corresponding kind of a change to a `StressEntity`.
    var ofEntity: EntityChange<StressEntity>.Kind {
        switch self {
        case .inserted: .inserted
        case .updated: .updated
        case .removed: .removed(.explicit)
        case .becameStale: .becameStale
        case .related: .related
        }
    }
}
