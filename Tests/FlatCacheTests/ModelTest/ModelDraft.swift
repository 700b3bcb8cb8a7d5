import FlatCache

/// Refers to others; neither compares nor merges, and its identifiers collide.
struct ModelDraft: ModelEntity, HasCachedRelationships {
    /// An identifier with one of only three hashes.
    struct ID: Hashable, Sendable {
        let number: Int

        func hash(into hasher: inout Hasher) { hasher.combine(number % 3) }
    }

    var record: ModelRecord

    static var kind: ModelKey.Kind { .draft }

    static func id(_ number: Int) -> ID { ID(number: number) }

    static func number(_ id: ID) -> Int { id.number }
}
