#if canImport(SQLite3) || canImport(CSQLite)
import Foundation

/// The identity of a file, by which a graph notices another file at the path.
struct FileIdentity: Hashable {
    static let create = """
        CREATE TABLE IF NOT EXISTS flatcache_identity (number INTEGER NOT NULL, former INTEGER, \
        imported INTEGER);
        INSERT INTO flatcache_identity (number) SELECT random() \
        WHERE NOT EXISTS (SELECT 1 FROM flatcache_identity);
        """

    /// The random number that the file got when it was created, or when a graph noticed first that
    /// the content was exchanged.
    ///
    /// Copies of a file have the same number.
    let number: Int64?
    /// The number in the file system, which may give the number of a deleted file to another one.
    private let systemNumber: UInt64?

    /// Reads the identity of the file that a connection has opened.
    init(of database: Database) throws(SQLiteGraphError) {
        number = try Self.number(in: database)
        systemNumber = Self.systemNumber(ofFileAt: database.path)
    }

    /// Returns whether the files have the same number in the file system.
    func hasSameSystemNumber(as other: FileIdentity) -> Bool { systemNumber == other.systemNumber }

    /// Returns the random number of a file.
    static func number(in database: Database) throws(SQLiteGraphError) -> Int64? {
        try database.number("SELECT number FROM flatcache_identity")
    }

    /// Gives a file another random number, as part of a transaction.
    static func renew(in database: Database) throws(SQLiteGraphError) {
        try database.statement("UPDATE flatcache_identity SET number = random()").run()
    }

    /// Returns the number of a file in the file system, or `nil` if there's no file at the path.
    static func systemNumber(ofFileAt path: String) -> UInt64? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }
}

/// A lost file, and the latest of its transactions that a graph's memory has shown.
///
/// The graphs that write their entities to the file at the path compare these numbers. The entities
/// of the graph with the greatest number are the latest ones.
struct LostFile {
    /// The random number of the file.
    let number: Int64
    /// The number of the transaction.
    let imported: Int64

    /// Returns whether this graph has shown a later transaction of the lost file than all graphs
    /// that have written their entities to the file of a connection.
    func isLater(than database: Database) throws(SQLiteGraphError) -> Bool {
        let select = try database.statement("SELECT former, imported FROM flatcache_identity")
        defer { select.reset() }
        guard try select.step() else { return false }
        return select.number(0) == number && select.number(1) < imported
    }

    /// Records that this graph has written its entities to the file of a connection.
    func record(in database: Database) throws(SQLiteGraphError) {
        let update = try database.statement(
            """
            UPDATE flatcache_identity SET former = ?1, imported = ?2 \
            WHERE former IS NULL OR former != ?1 OR imported < ?2
            """
        )
        update.bind(number, at: 1)
        update.bind(imported, at: 2)
        try update.run()
    }
}
#endif
