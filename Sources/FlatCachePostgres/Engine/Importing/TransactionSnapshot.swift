#if canImport(CPostgres)
/// A snapshot of the database: the transactions whose effects it shows.
///
/// It's the cursor of a node. The number of the last imported transaction wouldn't do, since
/// transactions don't become visible in the order of their numbers.
struct TransactionSnapshot: Hashable, Sendable, CustomStringConvertible {
    /// The lowest number of a transaction that may still run.
    let xmin: UInt64
    /// The number that the next transaction gets.
    let xmax: UInt64
    /// The numbers below `xmax` of transactions that still run.
    let running: Set<UInt64>

    /// Creates a snapshot from the server's text, such as `10:20:10,14`.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let xmin = UInt64(parts[0]), let xmax = UInt64(parts[1]),
            xmin <= xmax
        else { return nil }
        let running = parts[2].split(separator: ",").map { UInt64($0) }
        guard !running.contains(nil) else { return nil }
        self.xmin = xmin
        self.xmax = xmax
        self.running = Set(running.compactMap(\.self))
    }

    /// Returns whether the snapshot shows a transaction, if that has committed.
    func shows(_ transaction: UInt64) -> Bool {
        transaction < xmin || transaction < xmax && !running.contains(transaction)
    }

    var description: String {
        "\(xmin):\(xmax):\(running.sorted().map(String.init).joined(separator: ","))"
    }
}

/// The history of a database, which ends when it's restored or a standby is promoted.
struct History: Hashable, Sendable {
    let incarnation: String
    let system: String
    let timeline: String

    /// Returns whether the history is stored in the table with an identifier.
    func isOf(table: String) -> Bool { system.hasSuffix(".\(table)") }
}

/// A record of the log: the rows of a type that a transaction has changed.
struct LogRecord: Hashable, Sendable {
    /// The number of keys above which a record concerns all rows.
    static let keyLimit = 10_000

    let type: String
    /// The identifiers of stored rows, or `nil` for any row.
    let stored: [String]?
    /// The identifiers of removed rows, or `nil` for any row.
    let removed: [String]?
    /// `true` if an earlier import may have read the record, and the rows may have changed since.
    var isRepeated = false
}

/// The position of a write in the history of a database, as clients keep it.
struct WriteToken: Hashable, Sendable, CustomStringConvertible {
    let incarnation: String
    let transaction: UInt64

    init(incarnation: String, transaction: UInt64) {
        self.incarnation = incarnation
        self.transaction = transaction
    }

    init(_ text: String) throws(PostgresGraphError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 36, let number = UInt64(parts[1]) else {
            throw PostgresGraphError(.malformedToken, "The token isn't one of a graph.")
        }
        self.init(incarnation: String(parts[0]), transaction: number)
    }

    var description: String { "\(incarnation).\(transaction)" }
}
#endif
