@testable import FlatCacheTestSupport

/// The key of an entity of a history, independent of the entity's type.
struct HistoryKey: Hashable, Sendable {
    /// The types of the entities.
    enum Kind: Int, CaseIterable, Sendable {
        /// `Equatable` and `Mergeable`; a merge appends the new entries to the stored ones.
        case mergingList
        /// Neither `Mergeable` nor `Equatable`.
        case replacingList
    }

    let kind: Kind
    let number: Int

    func hash(into hasher: inout Hasher) {
        // Hashing one number is faster than two, and the checker spends most of its time hashing
        // states.
        hasher.combine(number << 1 | kind.rawValue)
    }
}

extension HistoryKey.Kind {
    var other: HistoryKey.Kind { self == .mergingList ? .replacingList : .mergingList }

    var entity: any HistoryEntity.Type {
        switch self {
        case .mergingList: MergingList.self
        case .replacingList: ReplacingList.self
        }
    }
}

extension HistoryKey: CustomStringConvertible {
    var description: String { "\(kind) \(number)" }
}
