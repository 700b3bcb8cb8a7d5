import FlatCache

@testable import FlatCacheTestSupport

/// The key of an entity of the model test, independent of the entity's type.
struct ModelKey: Hashable, Sendable {
    /// The types of the entities.
    enum Kind: Int, CaseIterable, Sendable {
        /// `Equatable` and `Mergeable`, with relationships.
        case page
        /// `Equatable`, but without comparing all properties; not `Mergeable`; with relationships.
        case tag
        /// Neither `Equatable` nor `Mergeable`, with relationships.
        case draft
    }

    let kind: Kind
    let number: Int

    var cacheKey: CacheKey { Self.cacheKey(of: kind.entity, number) }

    func hash(into hasher: inout Hasher) {
        // Hashing one number is faster than two, and the model spends most of its time on key
        // lookups.
        hasher.combine(number << 2 | kind.rawValue)
    }

    private static func cacheKey<Entity: ModelEntity>(
        of type: Entity.Type,
        _ number: Int
    ) -> CacheKey {
        CacheKey(type, id: type.id(number))
    }
}

extension ModelKey.Kind {
    var entity: any ModelEntity.Type {
        switch self {
        case .page: ModelPage.self
        case .tag: ModelTag.self
        case .draft: ModelDraft.self
        }
    }
}

extension ModelKey: CustomStringConvertible {
    var description: String { "\(kind) \(number)" }
}
