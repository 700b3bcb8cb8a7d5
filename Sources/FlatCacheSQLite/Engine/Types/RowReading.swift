#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

/// The reading of single rows of a type, without its conformance to `Codable`.
protocol RowReading<Value>: AnyDurableTable {
    associatedtype Value: Identifiable & Sendable where Value.ID: Sendable

    func read(
        _ id: Value.ID,
        _ database: Database,
        _ errors: inout [SQLiteGraphError]
    ) throws(SQLiteGraphError) -> StoredRow<Value>?

    /// Stores the value of a row in a cache; returns whether it was stored.
    func restore(_ row: StoredRow<Value>, _ transaction: ParticipantTransaction) -> Bool
}

extension DurableTable: RowReading {
    func restore(_ row: StoredRow<Value>, _ transaction: ParticipantTransaction) -> Bool {
        let isStored = transaction.insert(row.value, freshness(of: row), stamp: row.stamp)
        if isStored { agreedIDs?.insert(row.value.id) }
        return isStored
    }

    /// Returns the freshness of a row's value in memory.
    ///
    /// If the row was written without the time of its value, because the value had no lifetimes
    /// then, the value is as old as the row, or as its latest use if the type has a limit.
    func freshness(of row: StoredRow<Value>) -> StoredFreshness {
        var freshness = row.freshness
        if isTimed, freshness.age == nil { freshness.age = now.age(of: row.used) }
        return freshness
    }
}
#endif
