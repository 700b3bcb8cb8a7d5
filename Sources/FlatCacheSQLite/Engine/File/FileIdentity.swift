#if canImport(SQLite3) || canImport(CSQLite)
import Foundation

/// The identity of a file, by which a graph notices another file at the path.
struct FileIdentity: Hashable {
    static let create = """
        CREATE TABLE IF NOT EXISTS flatcache_identity (number INTEGER NOT NULL);
        INSERT INTO flatcache_identity SELECT random() \
        WHERE NOT EXISTS (SELECT 1 FROM flatcache_identity);
        """

    /// The random number that the file has got when it was created.
    ///
    /// Copies of a file have the same number.
    private let number: Int64?
    /// The number in the file system, which may give the number of a deleted file to another one.
    private let systemNumber: Int?

    /// Reads the identity of the file that a connection has opened.
    init(of database: Database) throws(SQLiteGraphError) {
        number = try database.number("SELECT number FROM flatcache_identity")
        let file = URL(fileURLWithPath: database.path).resolvingSymlinksInPath()
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        systemNumber = (attributes?[.systemFileNumber] as? NSNumber)?.intValue
    }
}
#endif
