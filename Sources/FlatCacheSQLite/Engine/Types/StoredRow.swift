#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

/// A decoded row.
struct StoredRow<Value: Sendable>: Sendable {
    let value: Value
    let freshness: StoredFreshness
    let stamp: (any Comparable & Sendable)?
}
#endif
