#if canImport(SQLite3) || canImport(CSQLite)
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
