#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

/// The changes to the rows of a type, encoded for a transaction.
struct EncodedChanges {
    struct Row {
        let identifier: RowIdentifier
        /// The position of the value among the encoded ones.
        let number: Int
        /// The encoded value, as a part of the writer's bytes.
        let value: Range<Int>
    }

    struct Details {
        var stored: Int64?
        var stale: Int64?
        var stamp: [UInt8]?
    }

    var isEmpty = true
    var removesAll = false
    var removed: [RowIdentifier] = []
    /// The prefixes of the names of removed lists.
    var removedPrefixes: [String] = []
    var invalidatesAll = false
    var invalidated: [RowIdentifier] = []
    /// The prefixes of the names of invalidated requests.
    var invalidatedPrefixes: [String] = []
    /// The stored rows in the order of the table.
    private(set) var rows: [Row] = []
    /// The freshness and the stamp of each row by its number, or empty if no row has any.
    private(set) var details: [Details] = []
    /// The writer of the encoded values, used for no others until they're written.
    var writer: RowWriter?
    var time = WallTime(milliseconds: 0)

    /// The total size of the encoded values.
    var size: Int { writer?.bytes.count ?? 0 }

    mutating func reserve(_ count: Int) { rows.reserveCapacity(count) }

    /// Appends a row whose value the writer has written.
    mutating func append(
        _ identifier: RowIdentifier,
        valueFrom start: Int,
        _ freshness: StoredFreshness,
        _ stamp: [UInt8]?
    ) {
        let number = rows.count
        rows.append(Row(identifier: identifier, number: number, value: start..<size))
        if details.isEmpty, freshness.isEmpty, stamp == nil { return }
        // The rows before the first one with details have none.
        while details.count < number { details.append(Details()) }
        details.append(
            Details(
                stored: freshness.age.map(time.before),
                stale: freshness.staleFor.map(time.before),
                stamp: stamp
            )
        )
    }

    /// Sorts the rows in the order of the table, so that SQLite appends them to the same page.
    mutating func sort() { rows.sort { $0.identifier < $1.identifier } }
}

/// The error of a value whose encoding SQLite can't store.
struct TooLarge: Error, CustomStringConvertible {
    let size: Int
    let limit: Int

    var description: String { "The row has \(size) bytes, and SQLite stores up to \(limit)." }
}
#endif
