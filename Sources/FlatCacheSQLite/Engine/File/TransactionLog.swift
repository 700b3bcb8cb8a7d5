#if canImport(SQLite3) || canImport(CSQLite)
/// The log in which each process finds the transactions of the others in a file.
///
/// Each transaction that changes rows has the next number, and a record for each type with the
/// identifiers of the rows that it has stored or removed. The rows themselves are read from the
/// tables. A record of a removal is the tombstone of the row.
struct TransactionLog {
    static let create = """
        CREATE TABLE IF NOT EXISTS flatcache_log (number INTEGER NOT NULL, type TEXT NOT NULL, \
        token INTEGER NOT NULL, written INTEGER NOT NULL, scope INTEGER NOT NULL, \
        lists BLOB NOT NULL, PRIMARY KEY (number, type)) WITHOUT ROWID
        """

    /// The time for which the log keeps records, in milliseconds.
    static let keptMilliseconds: Int64 = 7 * 24 * 60 * 60 * 1_000

    /// The type of the record that keeps the number of the latest deleted record.
    ///
    /// The names of other types aren't empty.
    private static let deletedType = ""

    let database: Database

    /// The number of the latest transaction, or zero if the log has none.
    func latest() throws(SQLiteGraphError) -> Int64 {
        try database.number("SELECT max(number) FROM flatcache_log") ?? 0
    }

    /// Returns the random number of a transaction, or `nil` if the log no longer shows it.
    func token(of number: Int64) throws(SQLiteGraphError) -> Int64? {
        try database.number(
            "SELECT token FROM flatcache_log WHERE number = ? AND token != 0 LIMIT 1",
            number
        )
    }

    /// Appends a record, as part of the transaction that it describes.
    func append(_ record: TransactionRecord) throws(SQLiteGraphError) {
        try database.statement(
            """
            INSERT INTO flatcache_log (number, type, token, written, scope, lists) \
            VALUES (?, ?, ?, ?, ?, ?)
            """
        ).run(
            record.number,
            record.type,
            record.token,
            record.written.milliseconds,
            Int64(record.scope.rawValue),
            record.lists.encoded
        )
    }

    /// Returns the records of the transactions after a number that the log still has, in their
    /// order, and whether these are all of them.
    func recordsLeft(
        after number: Int64
    ) throws(SQLiteGraphError) -> (records: [TransactionRecord], isComplete: Bool) {
        var isComplete = try latestDeleted() <= number
        let records = try database.rows(
            """
            SELECT number, type, token, written, scope, lists FROM flatcache_log \
            WHERE number > ? AND type != '\(Self.deletedType)' ORDER BY number
            """,
            number
        ) { row -> TransactionRecord? in
            var record = TransactionRecord(
                number: row.number(0),
                token: row.number(2),
                type: row.text(1),
                written: WallTime(milliseconds: row.number(3)),
                scope: TransactionRecord.Scope(rawValue: Int(truncatingIfNeeded: row.number(4)))
            )
            if record.read(row.bytes(5)) { return record }
            isComplete = false
            return nil
        }
        return (records, isComplete)
    }

    /// Removes the lists of rows from the records of a type after a change of its identifiers.
    ///
    /// A graph that can read the type's new version has imported none of the former rows, so it
    /// doesn't need the lists. A removal of all rows names none, so the log keeps it.
    func forgetRows(of type: String) throws(SQLiteGraphError) {
        try database.statement(
            """
            UPDATE flatcache_log SET scope = scope & \
            \(TransactionRecord.Scope.removesAll.rawValue), lists = ? WHERE type = ?
            """
        ).run(TransactionRecord.Lists().encoded, type)
    }

    // MARK: Shortening

    /// Deletes the records that are older than seven days, and the earliest ones of a longer log
    /// than a limit.
    ///
    /// - Parameter limit: The maximum number of bytes in the lists of the log.
    func shorten(at now: WallTime, sizeLimit limit: Int) throws(SQLiteGraphError) {
        try database.transaction { () throws(SQLiteGraphError) in
            let old = try database.number(
                "SELECT max(number) FROM flatcache_log WHERE written < ?",
                now.milliseconds - Self.keptMilliseconds
            )
            let excess = try database.number(
                """
                SELECT max(number) FROM (SELECT number, sum(length(lists)) \
                OVER (ORDER BY number DESC) AS size FROM flatcache_log) WHERE size > ?
                """,
                Int64(limit)
            )
            let latest = max(old ?? 0, excess ?? 0)
            if latest > 0 { try deleteRecords(upTo: latest) }
        }
    }

    /// The number of the latest transaction whose records were deleted.
    private func latestDeleted() throws(SQLiteGraphError) -> Int64 {
        // Its record is the first one.
        try database.number(
            """
            SELECT iif(type = '\(Self.deletedType)', number, 0) FROM flatcache_log \
            ORDER BY number LIMIT 1
            """
        ) ?? 0
    }

    private func deleteRecords(upTo number: Int64) throws(SQLiteGraphError) {
        // A graph that has imported the transaction compares the token, to notice other content.
        let token = try token(of: number) ?? 0
        try database.statement("DELETE FROM flatcache_log WHERE number <= ?").run(number)
        try append(
            TransactionRecord(
                number: number,
                token: token,
                type: Self.deletedType,
                written: WallTime(milliseconds: .max)
            )
        )
    }
}

extension Database {
    /// The log of the file's transactions.
    var log: TransactionLog { TransactionLog(database: self) }
}

/// A transaction that a graph is writing.
struct NewTransaction {
    let number: Int64
    let token: Int64
    /// The number of bytes above which a record doesn't list its rows.
    let listLimit: Int
}

/// The changes of a transaction to the rows of a type.
struct TransactionRecord: Sendable {
    /// The rows that a record concerns besides those in its lists.
    struct Scope: OptionSet, Sendable {
        let rawValue: Int

        /// All rows of the type were removed before the listed ones were stored.
        static let removesAll = Scope(rawValue: 1)
        /// Any row may have been stored, since the record doesn't list all of them.
        static let storesUnlisted = Scope(rawValue: 2)
        /// Any row may have been removed, since the record doesn't list all of them.
        static let removesUnlisted = Scope(rawValue: 4)
        /// Rows were stored that memory loads only if it lacks their entities.
        static let restores = Scope(rawValue: 8)
    }

    /// The position of the transaction in the order of the file's transactions, from 1.
    let number: Int64
    /// The random number that distinguishes this transaction from one of other content with the
    /// same position.
    let token: Int64
    /// The name of the type in the file.
    let type: String
    /// The time at which the transaction was written.
    let written: WallTime
    var scope: Scope = []
    var stored: [RowIdentifier] = []
    /// The identifiers of the rows that were removed explicitly.
    var removed: [RowIdentifier] = []
    /// The prefixes of the lists that were removed before the listed rows were removed or stored.
    ///
    /// A graph that imports the record removes all its lists with these prefixes, since the file
    /// may have no rows of some of them.
    var removedPrefixes: [String] = []
}

extension TransactionRecord {
    /// The lists of a record.
    struct Lists: Codable {
        var stored = IdentifierList([])
        var removed = IdentifierList([])
        var prefixes: [String] = []

        /// The encoded lists, or no bytes if they can't be encoded: the log is then incomplete.
        var encoded: [UInt8] { (try? CompactRowCoder().encode(self)) ?? [] }
    }

    var lists: Lists {
        Lists(
            stored: IdentifierList(stored),
            removed: IdentifierList(removed),
            prefixes: removedPrefixes
        )
    }

    /// Reads the encoded lists; returns `false` if they're damaged.
    mutating func read(_ lists: UnsafeRawBufferPointer) -> Bool {
        guard let lists = try? CompactRowCoder().decode(Lists.self, from: lists) else {
            return false
        }
        stored = lists.stored.identifiers
        removed = lists.removed.identifiers
        removedPrefixes = lists.prefixes
        return true
    }

    /// Returns the record, without lists that take more bytes than a limit.
    ///
    /// The record keeps the list of the removed rows if it alone fits.
    func limited(toBytes limit: Int) -> TransactionRecord {
        let removedSize = removed.reduce(0) { $0 + $1.size }
        if stored.reduce(removedSize, { $0 + $1.size }) <= limit { return self }
        var copy = self
        copy.scope.insert(.storesUnlisted)
        copy.stored = []
        if removedSize > limit {
            copy.scope.insert(.removesUnlisted)
            copy.removed = []
        }
        return copy
    }
}

/// The changes of other graphs to the rows of a type.
struct ChangesOfOthers {
    private(set) var scope: TransactionRecord.Scope = []
    /// The prefixes of removed lists.
    private(set) var removedPrefixes: Set<String> = []
    private(set) var stored: Set<RowIdentifier> = []
    private(set) var removed: Set<RowIdentifier> = []
    /// The times at which rows were restored.
    private(set) var restored: Set<WallTime> = []

    /// Combines the records of a type.
    ///
    /// - Parameters:
    ///   - records: The records of all types in their order.
    ///   - isComplete: `false` if there may have been further transactions before these.
    ///   - type: The name of the type in the file.
    init(_ records: [TransactionRecord], isComplete: Bool = true, of type: String) {
        if !isComplete { scope = [.storesUnlisted, .removesUnlisted] }
        for record in records where record.type == type { append(record) }
    }

    private mutating func append(_ record: TransactionRecord) {
        if record.scope == .restores {
            restored.insert(record.written)
            return
        }
        if record.scope.contains(.removesAll) {
            removedPrefixes = []
            forget { _ in true }
        }
        scope.formUnion(record.scope)
        for prefix in record.removedPrefixes {
            removedPrefixes.insert(prefix)
            forget { $0.hasPrefix(prefix) }
        }
        removed.formUnion(record.removed)
        stored.subtract(record.removed)
        stored.formUnion(record.stored)
        removed.subtract(record.stored)
    }

    private mutating func forget(_ isRemoved: (RowIdentifier) -> Bool) {
        stored = stored.filter { !isRemoved($0) }
        removed = removed.filter { !isRemoved($0) }
    }

    var removesAll: Bool { scope.contains(.removesAll) }
    var storesUnlisted: Bool { scope.contains(.storesUnlisted) }
    var removesUnlisted: Bool { scope.contains(.removesUnlisted) }

    var isEmpty: Bool {
        scope.isEmpty && removedPrefixes.isEmpty && stored.isEmpty && removed.isEmpty
            && restored.isEmpty
    }

    /// Returns whether the row with an identifier was removed, or the lists with a prefix of it.
    func removes(_ identifier: RowIdentifier) -> Bool {
        removesAll || removed.contains(identifier)
            || removedPrefixes.contains { identifier.hasPrefix($0) }
    }
}

/// Identifiers of one kind, as the log of transactions and the rows of lists and aliases contain
/// them: an array of numbers, texts or bytes.
struct IdentifierList: Codable {
    let identifiers: [RowIdentifier]

    init(_ identifiers: [RowIdentifier]) { self.identifiers = identifiers }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let numbers = try? container.decode([Int64].self) {
            identifiers = numbers.map { .number($0) }
        } else if let texts = try? container.decode([String].self) {
            identifiers = texts.map { .text($0) }
        } else {
            identifiers = try container.decode([[UInt8]].self).map { .bytes($0) }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for identifier in identifiers {
            switch identifier {
            case .number(let number): try container.encode(number)
            case .text(let text): try container.encode(text)
            case .bytes(let bytes): try container.encode(bytes)
            }
        }
    }
}
#endif
