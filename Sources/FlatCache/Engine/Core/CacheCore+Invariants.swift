extension CacheCore {
    /// Traps unless the tables and the watch graph are valid, and the graph agrees with the stored
    /// values.
    ///
    /// For tests, outside of transactions.
    ///
    /// - Complexity: O(*n*) in the number of values and the size of the graph.
    func checkInvariants() {
        withWriterLock("checkInvariants()") { writer in
            precondition(!writer.isInTransaction, "Invariants hold between commits.")
            precondition(
                writer.committedVersion == clock.visibleVersion,
                "The latest commit must be visible."
            )
            precondition(
                writer.nodeChanges.isEmpty,
                "The watch graph must know all changes to nodes between commits."
            )
            for table in tables.allTables { table.checkInvariants() }
            writer.graph.checkInvariants()
            for id in writer.graph.allNodes {
                let node = writer.graph[id]
                let table = tables.table(withTypeIdentifier: node.key.typeIdentifier)
                precondition(
                    table?.entry(of: node.key) == node.entry?.entry,
                    "The node of \(node.key) must have its entry."
                )
                guard let (entry, table) = node.entry else { continue }
                precondition(
                    table.node(of: entry) == id,
                    "The entry of \(node.key) must have its node."
                )
                guard node.isReached else { continue }
                let stored = table.relatedCacheKeys(
                    of: entry,
                    at: writer.committedVersion,
                    in: writer
                )
                let watched = Set(node.related.map { writer.graph[$0.node].key })
                precondition(
                    stored == watched && watched.count == node.related.count,
                    "The relationships of \(node.key) must be the same as its value's."
                )
            }
        }
    }

    /// The number of watched entities.
    ///
    /// For tests.
    var watchedCount: Int { withWriterLock("watchedCount") { $0.graph.count } }
}
