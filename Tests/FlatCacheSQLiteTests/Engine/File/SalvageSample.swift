import Foundation

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// A file with books, whose identifiers are numbers, and authors, whose identifiers are texts of
/// some shape.
struct SalvageSample {
    enum Shape: String, CaseIterable {
        case uuid, digits, paddedDigits, sharedPrefix, longPrefix, levels, mixedLengths

        /// The identifier of the author with the number `i`.
        fileprivate var sql: String {
            switch self {
            case .uuid:
                """
                printf('%08x-%04x-4%03x-%012x', i * 2654435761 % 4294967296, i * 40503 % 65536, \
                i % 4096, i * 1103515245 % 281474976710656)
                """
            case .digits: "'' || i"
            case .paddedDigits: "printf('%08d', i * 977)"
            case .sharedPrefix: "'user/' || i"
            case .longPrefix: "'com.example.application.model.entity.' || i"
            case .levels: "printf('user/%d/post/%d', i * 7919 % 40, i)"
            case .mixedLengths: "substr('texts of several lengths', 1, i * 31 % 24) || (i * 7)"
            }
        }
    }

    /// The statement that creates the list of types.
    static let createTypes = """
        CREATE TABLE flatcache_types (name TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL, \
        identifiers TEXT NOT NULL) WITHOUT ROWID
        """
    /// The number of rows in each table.
    static let count = 1_000

    let folder: GraphFolder
    let pageSize: Int
    let shape: Shape
    let bytes: Data
    /// The identifiers of each table, in the order of the table.
    let ids: [String: [String]]

    init(_ shape: Shape, pageSize: Int) throws {
        folder = try GraphFolder()
        self.pageSize = pageSize
        self.shape = shape
        let database = try Database(opening: folder.url.path)
        try database.execute(
            "PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = INCREMENTAL"
        )
        // The tables are interleaved in the file, and many pages are partly filled.
        try database.execute(
            """
            \(Self.createTypes);
            INSERT INTO flatcache_types VALUES ('book', 1, 'INTEGER'), ('author', 1, 'TEXT');
            CREATE TEMP TABLE number AS
            WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers LIMIT \(
                Self.count
            )) SELECT i FROM numbers ORDER BY i / 300, i * 7919 % 300
            """
        )
        let idsByTable = [
            "book": "CASE WHEN i < 600 THEN i ELSE i * 1000 END", "author": shape.sql,
        ]
        for first in stride(from: 0, to: Self.count, by: 500) {
            for (table, column) in [("book", IdentifierColumn.integer), ("author", .text)] {
                let sql = TableStatements(name: table, column: column, storesText: false)
                // Some rows have overflow pages.
                try database.execute(
                    """
                    \(sql.create);
                    INSERT INTO \(table) SELECT \(idsByTable[table, default: ""]), \
                    CAST(printf('%*d', CASE WHEN i % 400 = 7 THEN 20000 ELSE 100 END, i) AS BLOB), \
                    1700000000000 + i, NULL, NULL, 1700000000000 + i, NULL \
                    FROM number WHERE rowid > \(first) AND rowid <= \(first + 500)
                    """
                )
            }
        }
        var ids: [String: [String]] = [:]
        for table in ["book", "author"] {
            let select = try database.statement("SELECT id FROM \(table) ORDER BY id")
            while try select.step() { ids[table, default: []].append(select.text(0)) }
        }
        database.close()
        self.ids = ids
        bytes = try Data(contentsOf: folder.url)
    }
}
