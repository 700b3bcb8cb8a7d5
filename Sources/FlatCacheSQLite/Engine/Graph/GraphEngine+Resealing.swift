#if canImport(SQLite3) || canImport(CSQLite)
import Foundation

extension GraphEngine {
    /// Opens the values of all rows in the file, and seals them again; returns the number of rows.
    ///
    /// Neither needs the types of the values, so rows of types that the graph doesn't declare,
    /// responses, and rows in the quarantine are among them.
    func resealRows() async throws(SQLiteGraphError) -> Int {
        guard let coder = coder as? any ConcealingRowCoder else { return 0 }
        let count = try await changingFile { () throws(SQLiteGraphError) in
            var count = try reseal("flatcache_quarantine", key: "rowid", .integer, coder)
            let types = try database.rows("SELECT name, identifiers FROM flatcache_types") {
                ($0.text(0), IdentifierColumn(rawValue: $0.text(1)) ?? .blob)
            }
            for (name, column) in types {
                count += try reseal(TableStatements.quoted(name), key: "id", column, coder)
            }
            return count
        }
        for table in tables { table.forgetSizes() }
        scheduleCopyingOfLog()
        return count
    }

    /// Seals the rows of a table again, except those that can't be opened.
    private func reseal(
        _ table: String,
        key: String,
        _ column: IdentifierColumn,
        _ coder: any ConcealingRowCoder
    ) throws(SQLiteGraphError) -> Int {
        let keys = try database.rows("SELECT \(key) FROM \(table)") { $0.identifier(0, column) }
        let select = "SELECT value FROM \(table) WHERE \(key) = ?"
        let update = try database.statement("UPDATE \(table) SET value = ? WHERE \(key) = ?")
        var count = 0
        for key in keys {
            let sealed = try database.rows(select, key) { Data($0.bytes(0)) }.first
            guard let value = sealed.flatMap({ try? coder.open($0) }) else { continue }
            do {
                update.bind(copyOf: Array(try coder.seal(value)), at: 1)
            } catch {
                throw SQLiteGraphError(
                    .unencodable,
                    file: path,
                    reason: "A row of \(table) can't be sealed: \(error)",
                    underlyingError: error
                )
            }
            update.bind(key, at: 2)
            try update.run()
            count += 1
        }
        return count
    }
}
#endif
