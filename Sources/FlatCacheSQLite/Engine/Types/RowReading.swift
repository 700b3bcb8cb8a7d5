#if canImport(SQLite3) || canImport(CSQLite)
public import FlatCache

extension DurableTable {
    /// Stores the values of rows in a cache; returns for each row whether its value was stored.
    @discardableResult
    func restore(_ rows: [StoredRow<Value>], _ transaction: ParticipantTransaction) -> [Bool] {
        var rows = rows
        if isTimed {
            for index in rows.indices { rows[index].freshness = freshness(of: rows[index]) }
        }
        let areStored = durable.insertRows(rows, transaction)
        if !unread.isEmpty {
            for (row, isStored) in zip(rows, areStored) where isStored {
                unread.remove(row.value.id)
            }
        }
        return areStored
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
