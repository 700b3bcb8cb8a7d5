#if canImport(SQLite3) || canImport(CSQLite)
import Foundation

/// The identity that distinguishes a file from another one at its path.
struct FileIdentity: Hashable {
    static let create = """
        CREATE TABLE IF NOT EXISTS flatcache_identity (number INTEGER NOT NULL);
        INSERT INTO flatcache_identity SELECT random() \
        WHERE NOT EXISTS (SELECT 1 FROM flatcache_identity);
        """

    /// The random number that the file got when it was created.
    ///
    /// Copies of a file have the same number.
    let number: Int64?
    /// The number in the file system, possibly reused after the deletion of another file.
    private let systemNumber: UInt64?

    init(of database: Database) throws(SQLiteGraphError) {
        number = try Self.number(in: database)
        systemNumber = Self.systemNumber(ofFileAt: database.path)
    }

    static func number(in database: Database) throws(SQLiteGraphError) -> Int64? {
        try database.number("SELECT number FROM flatcache_identity")
    }

    /// Returns the number of a file in the file system, or `nil` if there's no file at the path.
    static func systemNumber(ofFileAt path: String) -> UInt64? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// Returns the number of bytes that are free in the folder of a file, or `nil` if it isn't
    /// known.
    static func space(besideFileAt path: String) -> Int? {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        return (attributes?[.systemFreeSize] as? NSNumber)?.intValue
    }

    /// Returns the size of a file in bytes, or zero if there's no file at the path.
    static func size(ofFileAt path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
#endif
