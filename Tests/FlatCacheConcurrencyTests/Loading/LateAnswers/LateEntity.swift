import FlatCache

@testable import FlatCacheTestSupport

/// An entity of the tests of late answers, whose fields tell which write they come from.
protocol LateEntity: CacheEntity where ID == Int {
    init(id: Int, text: String?, detail: String?)

    var text: String? { get set }
    var detail: String? { get set }
}

extension LateEntity {
    init(_ text: String?, detail: String? = nil) {
        self.init(id: 1, text: text, detail: detail)
    }

    static var isMergeable: Bool { Self.self is any Mergeable.Type }

    /// The fields, for comparisons.
    var fields: [String?] { [text, detail] }

    func mergedFields(with other: Self) -> Self {
        Self(id: id, text: other.text ?? text, detail: other.detail ?? detail)
    }
}

struct MergedThing: LateEntity, Equatable, Mergeable {
    let id: Int
    var text: String?
    var detail: String?

    func merged(with other: MergedThing) -> MergedThing { mergedFields(with: other) }
}

/// A mergeable entity whose values can't be compared.
struct MergedNote: LateEntity, Mergeable {
    let id: Int
    var text: String?
    var detail: String?

    func merged(with other: MergedNote) -> MergedNote { mergedFields(with: other) }
}

struct PlainThing: LateEntity, Equatable {
    let id: Int
    var text: String?
    var detail: String?
}

/// An entity without any other conformance.
struct PlainNote: LateEntity {
    let id: Int
    var text: String?
    var detail: String?
}

/// The owner of the entity 1 of a type.
struct LateOwner<Entity: LateEntity>: CacheEntity, OwnsCachedValues {
    let id: Int

    var ownedCacheKeys: Set<CacheKey> { [CacheKey(Entity.self, id: 1)] }
}
