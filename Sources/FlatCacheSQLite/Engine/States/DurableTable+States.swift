#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import FlatCacheRows

extension DurableTable {
    /// Returns the identifiers of the rows of requests or lists whose names have one of some
    /// prefixes.
    func identifiers(withPrefixes prefixes: [String]) throws(SQLiteGraphError) -> [RowIdentifier] {
        if prefixes.isEmpty { return [] }
        return try database.rows(sql.identifiers) { row in
            let name = row.text(0)
            return prefixes.contains(where: name.hasPrefix) ? .text(name) : nil
        }
    }

    /// Returns the names of the lists in the file that the graph keeps because of a prefix.
    func prefixedIDs() throws(SQLiteGraphError) -> [Value.ID] {
        let prefixes = durable.state?.prefixes.map(\.prefix) ?? []
        let identifiers = try identifiersOfLists(withPrefixes: prefixes)
        return identifiers.compactMap { try? form.decode($0) }
    }

    /// Returns the identifiers of the rows of lists whose names have one of some prefixes, except
    /// lists with a separate declaration.
    func identifiersOfLists(
        withPrefixes prefixes: [String]
    ) throws(SQLiteGraphError) -> [RowIdentifier] {
        let names = Set((durable.state?.names ?? []).compactMap { try? form.encode($0) })
        return try identifiers(withPrefixes: prefixes).filter { !names.contains($0) }
    }
}
#endif
