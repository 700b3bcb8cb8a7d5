#if canImport(SQLite3) || canImport(CSQLite)
#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// A damaged file whose tables are read as far as SQLite finds their rows.
final class DamagedFile {
    let database: Database
    /// The remaining number of attempts to find further rows behind unreadable ones.
    ///
    /// For a hundred megabytes, it begins with four million. They take half a minute.
    fileprivate var attempts: Int
    /// The remaining number of attempts with keys in the file's bytes.
    ///
    /// It begins with the same number.
    fileprivate var attemptsWithBytes: Int

    /// Opens a file, or returns `nil` if SQLite can't open it.
    init?(_ path: String) {
        guard let database = try? Database(opening: path) else { return nil }
        self.database = database
        // SQLite then reads files that are shorter than their header says or whose definitions are
        // damaged, and pages of which only parts are damaged.
        try? database.execute("PRAGMA writable_schema = ON; PRAGMA cell_size_check = OFF")
        // Otherwise, each query would lock the file.
        try? database.execute("BEGIN")
        attempts = 20_000 + FileIdentity.size(ofFileAt: path) / 25
        attemptsWithBytes = attempts
    }

    deinit { database.abandon() }

    /// The versions and the identifiers' columns of the types by their names.
    func types() -> [String: (version: Int64, column: String)] {
        var types: [String: (version: Int64, column: String)] = [:]
        DamagedTable("flatcache_types", of: self)?.forEachRow { row in
            types[row.text(1)] = (row.number(2), row.text(3))
        }
        return types
    }

    /// Returns the statements that create the tables, by their names, and the ranges of definitions
    /// that can't be read.
    func definitions() -> (tables: [String: String], unreadable: [KeyRange]) {
        var tables: [String: String] = [:]
        let unreadable = DamagedTable("sqlite_schema", of: self)?.forEachRow { row in
            if row.text(1) == "table", !row.isNull(5) { tables[row.text(2)] = row.text(5) }
        }
        return (tables, unreadable ?? [KeyRange()])
    }
}

/// A table of a damaged file.
///
/// It reads rows in the order of their keys, from both ends up to the first one that can't be read.
/// Then it tries further keys between the two: first some of each unreadable range, more of them
/// near the ends, and then all keys of a range if there aren't too many. At last, it tries the keys
/// of text or bytes in the file's bytes.
struct DamagedTable {
    private let file: DamagedFile
    private let table: String
    private let key: String
    private let hasNumbers: Bool
    private let storesText: Bool
    let columnCount: Int

    /// The origin of a key from which on a range is read.
    private enum Probe {
        /// The key has some distance from an end of the range.
        case distance
        /// The key is in the file's bytes.
        case bytes
    }

    /// The greatest number of keys in a range of which all are tried.
    private static let maximumCount = 50_000
    /// The number of successive rows with keys outside of a range that ends the reading of the
    /// range.
    private static let maximumStrays = 1_000
    /// The same number for a range around a key in the file's bytes, which contain the other keys
    /// too.
    private static let maximumStraysOfBytes = 4

    /// Finds a table, or returns `nil` if SQLite can't read its definition.
    init?(_ name: String, of file: DamagedFile) {
        let table = TableStatements.quoted(name)
        let columns = try? file.database.statement("SELECT name, type FROM pragma_table_info(?)")
        guard let columns else { return nil }
        columns.bind(name, at: 1)
        defer { columns.reset() }
        guard (try? columns.step()) == true else { return nil }
        hasNumbers = (try? file.database.statement("SELECT rowid FROM \(table)")) != nil
        key = hasNumbers ? "rowid" : TableStatements.quoted(columns.text(0))
        storesText = columns.text(1) == IdentifierColumn.text.rawValue
        guard let all = try? file.database.statement("SELECT * FROM \(table)") else { return nil }
        columnCount = all.columnCount
        self.file = file
        self.table = table
    }

    /// Calls a closure with each row that can be read.
    ///
    /// The first column of the row is its key, and the others are the columns of the table.
    ///
    /// - Returns: The ranges of keys with rows that can't be read.
    @discardableResult
    func forEachRow<Failure: Error>(
        _ body: (Statement) throws(Failure) -> Void
    ) throws(Failure) -> [KeyRange] {
        var unreadable: [KeyRange] = []
        var ranges = [KeyRange()]
        // All keys of a range are tried after some keys of each range, since that can use up the
        // attempts.
        var untried: [KeyRange] = []
        while true {
            while var range = ranges.popLast() {
                if try read(&range, body) { continue }
                if try read(&range, isDescending: true, body) { continue }
                if let (before, after) = try split(range, at: range.probes, body) {
                    ranges.append(before)
                    if let after { ranges.append(after) }
                } else {
                    untried.append(range)
                }
            }
            guard let range = untried.popLast() else { break }
            let keys = range.keys(atMost: max(0, min(Self.maximumCount, file.attempts)))
            if let (before, after) = try split(range, at: keys, body) {
                // All keys before were tried, so none of the rows before can be read.
                unreadable.append(before)
                if let after { ranges.append(after) }
            } else {
                unreadable.append(range)
            }
        }
        return hasNumbers ? unreadable : try search(unreadable, body)
    }

    /// Reads rows before and after the possible keys in the file's bytes; returns the ranges of
    /// keys with rows that still can't be read.
    private func search<Failure: Error>(
        _ unreadable: [KeyRange],
        _ body: (Statement) throws(Failure) -> Void
    ) throws(Failure) -> [KeyRange] {
        if unreadable.isEmpty { return [] }
        var ranges = unreadable.sorted()
        let first = ranges.firstBytes
        try PossibleKeys(database: file.database).forEach(from: first) { bytes throws(Failure) in
            guard file.attemptsWithBytes > 0 else { return }
            let key = RowIdentifier.bytes(Array(bytes))
            guard let index = ranges.index(of: key) else { return }
            file.attemptsWithBytes -= 2
            var before = KeyRange(lower: ranges[index].lower, upper: key)
            var after = KeyRange(lower: key, upper: ranges[index].upper)
            let isBeforeRead = try read(&before, isDescending: true, probe: .bytes, body)
            let isAfterRead = try read(&after, probe: .bytes, body)
            if !isBeforeRead, !isAfterRead, before.upper == key, after.lower == key { return }
            ranges.replaceSubrange(
                index...index,
                with: (isBeforeRead ? [] : [before]) + (isAfterRead ? [] : [after])
            )
        }
        return ranges
    }

    /// Tries keys until a row can be read from one of them on, and reads on from there.
    ///
    /// - Returns: The range before the first row that was read, and the range after the last one
    ///   unless all its rows were read; or `nil` if no key leads to a row.
    private func split<Failure: Error>(
        _ range: KeyRange,
        at keys: [RowIdentifier],
        _ body: (Statement) throws(Failure) -> Void
    ) throws(Failure) -> (KeyRange, KeyRange?)? {
        for key in keys where file.attempts > 0 {
            file.attempts -= 1
            let rest = KeyRange(lower: key, upper: range.upper)
            var after = rest
            var first: RowIdentifier?
            let isRead = try read(&after, probe: .distance) { row throws(Failure) in
                if first == nil, let key = row.key(0), rest.contains(key) { first = key }
                try body(row)
            }
            guard let first else { continue }
            return (KeyRange(lower: range.lower, upper: first), isRead ? nil : after)
        }
        return nil
    }

    /// Reads rows from one end of a range, and removes their keys from the range; returns `false`
    /// if there's a row that can't be read.
    ///
    /// A damaged page can contain keys that belong elsewhere. The method therefore reads on for
    /// some rows after the row at the other end.
    private func read<Failure: Error>(
        _ range: inout KeyRange,
        isDescending: Bool = false,
        probe: Probe? = nil,
        _ body: (Statement) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        let whole = range
        let bound = isDescending ? range.upper : range.lower
        guard let select = statement(from: bound, isDescending: isDescending) else { return false }
        defer { select.reset() }
        var strays = 0
        var isAtEnd = false
        var isFirst = true
        while strays < (probe == .bytes ? Self.maximumStraysOfBytes : Self.maximumStrays) {
            guard let hasRow = try? select.step() else { return false }
            if !hasRow { return true }
            strays += 1
            guard let key = select.key(0) else { continue }
            let next = KeyRange.successor(of: key)
            isAtEnd = isAtEnd || (isDescending ? next == whole.lower : key == whole.upper)
            // There are no rows between the probe and the end.
            if probe != nil, isFirst, isAtEnd { return true }
            isFirst = false
            try body(select)
            guard whole.contains(key) else {
                if probe != .bytes { file.attempts -= 1 }
                continue
            }
            strays = 0
            if isDescending { range.upper = key } else { range.lower = next ?? key }
        }
        return isAtEnd
    }

    /// Returns a statement that reads the rows from a key on, or the rows before a key.
    private func statement(from bound: RowIdentifier?, isDescending: Bool) -> Statement? {
        let condition = bound == nil ? "" : "WHERE \(key) \(isDescending ? "<" : ">=") ?"
        let select = try? file.database.statement(
            "SELECT \(key), * FROM \(table) \(condition) ORDER BY \(key)"
                + (isDescending ? " DESC" : "")
        )
        switch bound {
        case .number(let number): select?.bind(number, at: 1)
        case .bytes(let bytes): select?.bind(copyOf: bytes, isText: storesText, at: 1)
        case .text, nil: break
        }
        return select
    }
}

extension Statement {
    /// Returns the value of a key's column, or `nil` if it can't be a key.
    fileprivate func key(_ column: Int32) -> RowIdentifier? {
        if isNull(column) { return nil }
        return isInteger(column) ? .number(number(column)) : .bytes(Array(bytes(column)))
    }
}

/// The places in a damaged file at which keys of text or bytes may begin.
///
/// A row of such a table begins with the types of its columns and its key. The last column is a
/// number, whose type is a byte from 1 to 9, so a key may begin after each byte with such a value.
/// Most of these places aren't keys, or belong to other tables: a query shows whether there are
/// rows.
struct PossibleKeys {
    let database: Database

    /// The number of bytes to read at once.
    private static let partSize = 1 << 20
    /// The number of bytes of a key that are used.
    ///
    /// They lead to the same row as the whole key, unless other keys begin with the same bytes.
    private static let maximumLength = 256

    /// Calls a closure with the bytes from each place on, in the file and in its log.
    ///
    /// The bytes don't stop at the end of the key.
    ///
    /// - Parameters:
    ///   - first: The possible first bytes of the keys.
    ///   - body: The closure.
    func forEach<Failure: Error>(
        from first: ClosedRange<UInt8>,
        _ body: (ArraySlice<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        for file in [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER] {
            var offset: Int64 = 0
            while let bytes = read(file, at: offset) {
                for start in 1...Self.partSize
                where 1...9 ~= bytes[start - 1] && first ~= bytes[start] {
                    try body(bytes[start..<start + Self.maximumLength])
                }
                offset += Int64(Self.partSize)
            }
        }
    }

    /// Returns a part of a file with the beginning of the next part, or `nil` at the end of the
    /// file.
    ///
    /// The method reads a file that SQLite has open. If it opened the file itself, the system would
    /// end SQLite's locks when it closes the file.
    private func read(_ file: Int32, at offset: Int64) -> [UInt8]? {
        var pointer: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(database.handle, "main", file, &pointer)
        var size: Int64 = 0
        guard let pointer, let methods = pointer.pointee.pMethods?.pointee,
            methods.xFileSize(pointer, &size) == SQLITE_OK, offset < size
        else { return nil }
        // Bytes that can't be read, or after the end of the file, are zeros.
        var bytes = [UInt8](repeating: 0, count: Self.partSize + Self.maximumLength)
        _ = methods.xRead(pointer, &bytes, Int32(bytes.count), offset)
        return bytes
    }
}
#endif
