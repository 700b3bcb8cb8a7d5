import FlatCache

/// The name of an entity in the model test, whatever its type.
struct ModelKey: Hashable, Sendable {
    /// The types of the entities.
    enum Kind: Int, CaseIterable, Sendable {
        /// Equatable, mergeable, with relationships.
        case page
        /// Equatable, though not in all that it holds; not mergeable; with relationships.
        case tag
        /// Neither equatable nor mergeable; with relationships.
        case draft
    }

    let kind: Kind
    let number: Int

    var cacheKey: CacheKey { Self.cacheKey(of: kind.entity, number) }

    func hash(into hasher: inout Hasher) {
        // One number in place of two: nearly all that the model does is to look up keys.
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
