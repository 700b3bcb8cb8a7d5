import FlatCache

@testable import FlatCacheTestSupport

/// An entity that the model test stores.
protocol ModelEntity: Identifiable, Sendable where ID: Sendable {
    static func id(_ number: Int) -> ID
    static func number(_ id: ID) -> Int
    static var kind: ModelKey.Kind { get }

    var record: ModelRecord { get set }

    init(record: ModelRecord)
}

extension ModelEntity {
    var id: ID { Self.id(record.key.number) }

    static func key(_ id: ID) -> ModelKey { ModelKey(kind: kind, number: number(id)) }
}

extension ModelEntity where Self: HasCachedRelationships {
    var relatedCacheKeys: Set<CacheKey> { Set((record.links ?? []).map(\.cacheKey)) }
}
