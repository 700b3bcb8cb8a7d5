import FlatCache

/// Compares without regard to its stamp, which shows whether an equal value has been stored; refers
/// to others; does not merge.
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
