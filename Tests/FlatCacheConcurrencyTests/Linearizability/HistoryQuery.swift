@testable import FlatCacheTestSupport

/// The queries of a history, each of the entities of one kind.
enum HistoryQuery: Int, CaseIterable, Sendable {
    /// The two entities with the greatest last entries.
    case latest
    /// The entities with more than one entry, the shortest ones first.
    case long
    /// The entities whose last entry is even, by an index.
    case even
    /// The entities for whose number the other kind has an entity, in the order of its last entry.
    case related

    /// Returns the entries of the rows, in their order, of the specification's contents.
    func rows(of kind: HistoryKey.Kind, in contents: HistoryState.Contents) -> [[Int]] {
        func last(_ row: (key: HistoryKey, value: [Int])) -> Int { row.value.last ?? 0 }
        func other(_ row: (key: HistoryKey, value: [Int])) -> Int? {
            contents[HistoryKey(kind: kind.other, number: row.key.number)]?.last
        }
        let all = contents.filter { $0.key.kind == kind }.sorted { last($0) < last($1) }
        let rows =
            switch self {
            case .latest: Array(all.reversed().prefix(2))
            case .long:
                all.filter { $0.value.count > 1 }
                    .sorted { ($0.value.count, last($0)) < ($1.value.count, last($1)) }
            case .even: all.filter { last($0).isMultiple(of: 2) }
            case .related:
                all.filter { other($0) != nil }.sorted { other($0) ?? 0 < other($1) ?? 0 }
            }
        return rows.map(\.value)
    }
}

/// The identity of a query of a history.
struct HistoryQueryKey: Hashable, Sendable {
    let kind: HistoryKey.Kind
    let query: HistoryQuery

    static let all = HistoryKey.Kind.allCases.flatMap { kind in
        HistoryQuery.allCases.map { HistoryQueryKey(kind: kind, query: $0) }
    }
}

extension HistoryQueryKey: CustomStringConvertible {
    var description: String { "\(query) \(kind)s" }
}
