#if canImport(SQLite3) || canImport(CSQLite)
import FlatCacheRows

/// The statements for the table of a type.
///
/// Besides the identifier and the encoded value, a row has these columns:
/// - `stored`: The time when the value was stored, in milliseconds since 1970.
/// - `stale`: The time since when the value has been stale, or will be, in milliseconds since 1970.
/// - `stamp`: The encoded modification stamp. That of a response lists its entities.
/// - `whole`: The time when the latest whole value was stored, in milliseconds since 1970; -1 if
///   none counts, or `NULL` if it's the stored value.
/// - `used`: The time of the latest use, in milliseconds since 1970. The times of loads are
///   recorded only with a limit.
final class TableStatements {
    /// The name of the table as text.
    private let name: String
    /// The quoted name of the table.
    let table: String
    private let column: IdentifierColumn
    /// The expression of a value's size, since the length of a text counts characters, not bytes.
    private let length: String

    init(name: String, column: IdentifierColumn, storesText: Bool) {
        self.name = name.quoted("'")
        table = name.quoted("\"")
        self.column = column
        length = storesText ? "length(CAST(value AS BLOB))" : "length(value)"
    }

    var create: String {
        """
        CREATE TABLE IF NOT EXISTS \(table) (id \(column.rawValue) PRIMARY KEY NOT NULL, \
        value BLOB NOT NULL, stored INTEGER, stale INTEGER, stamp BLOB, \
        used INTEGER NOT NULL, whole INTEGER)\(column == .integer ? "" : " WITHOUT ROWID")
        """
    }

    lazy var upsert = Self.insert("REPLACE", table, rows: 1)
    /// The statement that writes `batch` rows in less time than single statements.
    lazy var upsertBatch = Self.insert("REPLACE", table, rows: Self.batch)
    /// The statement that inserts a row unless the table has a row with its identifier.
    lazy var insertIfAbsent = Self.insert("IGNORE", table, rows: 1)
    lazy var selectAll = "SELECT \(Self.columns) FROM \(table)"
    lazy var select = "\(selectAll) WHERE id = ?"
    lazy var exists = "SELECT 1 FROM \(table) WHERE id = ?"
    lazy var delete = "DELETE FROM \(table) WHERE id = ?"
    lazy var deleteAll = "DELETE FROM \(table)"
    lazy var invalidateAll =
        "UPDATE \(table) SET stale = ?1 WHERE (stale IS NULL OR stale > ?1)"
    lazy var invalidate = "\(invalidateAll) AND id = ?2"
    lazy var use = "UPDATE \(table) SET used = ? WHERE id = ?"
    lazy var size = "SELECT count(*), coalesce(sum(\(length)), 0) FROM \(table)"
    lazy var identifiers = "SELECT id FROM \(table)"
    /// The statement that selects the rows that were restored at a time.
    lazy var restored = "\(identifiers) WHERE stale = ?"
    lazy var uses = "SELECT id, \(length), used FROM \(table)"
    lazy var dates = "SELECT id, coalesce(stored, used), stale FROM \(table)"
    lazy var quarantine = """
        INSERT INTO flatcache_quarantine (type, id, value, version, cause, time) \
        SELECT \(name), id, value, ?1, ?2, ?3 FROM \(table) WHERE id = ?4 \
        AND (?5 IS NULL OR used = ?5)
        """

    /// The columns of a row in the order in which statements select them.
    static let columns = "id, value, stored, stale, stamp, used, whole"
    /// The statement that adds the column that files of former versions lack.
    var addWhole: String { "ALTER TABLE \(table) ADD COLUMN whole INTEGER" }
    /// The statement that selects whether the table lacks that column, without a result if there's
    /// no table.
    var lacksWhole: String {
        "SELECT max(name = 'whole') = 0 FROM pragma_table_info(\(name))"
    }
    /// The name of the table of responses.
    static let responses = "flatcache_responses"
    /// The number of rows that one statement writes.
    static let batch = 32
    /// The number of parameters of a written row, besides the time of its use.
    static let rowParameters: Int32 = 6

    /// Returns the statement that writes rows, with the time of their use as the first parameter.
    private static func insert(_ conflict: String, _ table: String, rows: Int) -> String {
        let parameters = (0..<rows).map { row in
            let first = 2 + row * Int(rowParameters)
            let own = (first..<(first + Int(rowParameters))).map { "?\($0)" }
            return "(\(own.joined(separator: ", ")), ?1)"
        }
        return """
            INSERT OR \(conflict) INTO \(table) (id, value, stored, stale, stamp, whole, used) \
            VALUES \(parameters.joined(separator: ", "))
            """
    }

    /// Returns whether a table contains the states of lists, aliases or requests.
    static func isOfStates(_ name: String) -> Bool {
        ["flatcache_lists_", "flatcache_aliases_", responses].contains {
            name.hasPrefix($0)
        }
    }
}
#endif
