import FlatCache

@testable import FlatCacheTestSupport

/// An entity with relationships that isn't `Mergeable` and whose `==` ignores the stamp.
///
/// The stamp shows whether the cache has stored an equal value again.
struct ModelTag: ModelEntity, Equatable, HasCachedRelationships {
    typealias ID = String

    var record: ModelRecord

    static var kind: ModelKey.Kind { .tag }

    static func id(_ number: Int) -> String { "tag-\(number)" }

    static func number(_ id: String) -> Int { Int(id.dropFirst(4)) ?? -1 }

    static func == (left: ModelTag, right: ModelTag) -> Bool {
        left.record.isEqualButForStamp(to: right.record)
    }
}
