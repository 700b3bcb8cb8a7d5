#if canImport(CPostgres)
public import FlatCache

/// The value of a row, and its version.
@usableFromInline
struct VersionedValue<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    @usableFromInline let value: Value
    @usableFromInline let version: Int64

    /// Stores the values of entities that have none.
    ///
    /// The function is specialized in the client's module (row 34f of Benchmarks).
    @inlinable
    static func insert(_ rows: [VersionedValue], _ transaction: ParticipantTransaction) {
        _ = transaction.insert(contentsOf: rows) { row in
            (row.value, StoredFreshness(), stamp: row.version)
        }
    }
}
#endif
