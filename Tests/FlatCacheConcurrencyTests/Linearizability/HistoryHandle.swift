import FlatCache

@testable import FlatCacheTestSupport

/// A handle to an entity of a history, independent of the entity's type.
protocol HistoryHandle: Sendable {
    var entries: [Int]? { get }

    func set(_ entry: Int, _ pauses: Pauses)
    func append(
        _ entry: Int,
        _ outcome: HistoryOperation.Outcome,
        _ pauses: Pauses
    ) -> HistoryResult
    func remove()
}

extension Cached: HistoryHandle where Value: HistoryEntity {
    var entries: [Int]? { value?.entries }

    func set(_ entry: Int, _ pauses: Pauses) {
        value = Value(number: Value.number(of: id), entries: [entry], pausing: pauses.next())
    }

    func append(
        _ entry: Int,
        _ outcome: HistoryOperation.Outcome,
        _ pauses: Pauses
    ) -> HistoryResult {
        do throws(HistoryError) {
            let stored = try update { value throws(HistoryError) in
                try value.append(entry, outcome, pauses)
            }
            return .value(stored?.entries)
        } catch {
            return .failure(error.results)
        }
    }

    func remove() { value = nil }
}
