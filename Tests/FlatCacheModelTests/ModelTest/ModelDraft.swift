import FlatCache

@testable import FlatCacheTestSupport

/// An entity with relationships whose identifiers collide.
///
/// It is neither `Equatable` nor `Mergeable`.
struct ModelDraft: ModelEntity, HasCachedRelationships {
    /// An identifier with one of only three hash values.
    struct ID: Hashable, Sendable {
        let number: Int

        func hash(into hasher: inout Hasher) { hasher.combine(number % 3) }
    }

    var record: ModelRecord

    static var kind: ModelKey.Kind { .draft }

    static func id(_ number: Int) -> ID { ID(number: number) }

    static func number(_ id: ID) -> Int { id.number }
}
