import FlatCache

@testable import FlatCacheTestSupport

/// An entity with relationships that is `Equatable` and `Mergeable`.
struct ModelPage: ModelEntity, Equatable, Mergeable, HasCachedRelationships {
    typealias ID = Int

    var record: ModelRecord

    static var kind: ModelKey.Kind { .page }

    static func id(_ number: Int) -> Int { number }

    static func number(_ id: Int) -> Int { id }

    func merged(with other: ModelPage) -> ModelPage {
        ModelPage(record: record.merged(with: other.record))
    }
}
