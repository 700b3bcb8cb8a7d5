#if canImport(SQLite3) || canImport(CSQLite)
public import FlatCache

@usableFromInline
struct StoredRow<Value: Sendable>: Sendable {
    @usableFromInline let value: Value
    @usableFromInline var freshness: StoredFreshness
    @usableFromInline let stamp: (any Comparable & Sendable)?
    /// The time at which the row was loaded or written last, in milliseconds since 1970.
    let used: Int64
}

extension StoredRow where Value: Identifiable, Value.ID: Sendable {
    /// Stores the values of rows whose entities have none; returns for each row whether its value
    /// was stored.
    ///
    /// The function is specialized in the client's module (row 32b of Benchmarks).
    @inlinable
    static func insert(_ rows: [StoredRow], _ transaction: ParticipantTransaction) -> [Bool] {
        transaction.insert(contentsOf: rows) { ($0.value, $0.freshness, stamp: $0.stamp) }
    }
}
#endif
