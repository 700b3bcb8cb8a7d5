#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

/// A decoded row.
struct StoredRow<Value: Sendable>: Sendable {
    let value: Value
    let freshness: StoredFreshness
    let stamp: (any Comparable & Sendable)?
    /// The time at which the row was loaded or written last, in milliseconds since 1970.
    let used: Int64
    /// The time at which the row was written, or `nil` if it was loaded since.
    let written: Int64?
}
#endif
