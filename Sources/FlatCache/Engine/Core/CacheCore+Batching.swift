extension CacheCore {
    func performBatchUpdates<Result, Failure: Error>(
        _ body: (CacheBatch) throws(Failure) -> Result,
        completion: (@Sendable () -> Void)?,
        as operation: StaticString = "performBatchUpdates(_:)"
    ) throws(Failure) -> Result {
        try write(operation, asSavepoint: true) { writer throws(Failure) in
            let batch = CacheBatch(core: self)
            defer { batch.end() }
            let result = try body(batch)
            if let completion { writer.addCompletion(completion) }
            return result
        }
    }

    func pruneUnobservedValues() -> Int {
        write("pruneUnobservedValues()") { writer in
            doDeferredWork()
            // If the transaction has written nothing, the watch graph is up to date.
            let isReached = writer.writtenTables.isEmpty ? nil : isReachedNow()
            let pinnedByQueries = pinnedByQueries()
            let isKept = { (table: any AnyTable, entry: EntryID) in
                if table.isPinned(entry, byTokensOnly: true) { return true }
                if isReached?(table, entry) ?? (table.node(of: entry) != .none) { return true }
                return !pinnedByQueries.isEmpty && pinnedByQueries.contains(table.key(of: entry))
            }
            let loadingLists = loadingLists
            var removed = 0
            for table in tables.allTables where !table.isDerived {
                removed += table.removeAll(in: writer, for: .pruned) { entry in
                    if isKept(table, entry) { return false }
                    if !loadingLists.isEmpty {
                        let key = table.key(of: entry)
                        if loadingLists.contains(key) { restart(key) }
                    }
                    return true
                }
            }
            removeOrphans(unless: isKept)
            return removed
        }
    }

    /// Returns the entities that current results of queries pin, as of the latest commit.
    private func pinnedByQueries() -> Set<CacheKey> {
        Set(tables.allTables.filter(\.isDerived).flatMap { $0.allPinned() })
    }

    /// Returns a function that indicates whether an observation reaches an entry.
    ///
    /// It takes the writes of the open transaction into account, which the watch graph doesn't
    /// before the commit.
    private func isReachedNow() -> (any AnyTable, EntryID) -> Bool {
        let observers = writer.graph.allEntityObservers
        let unlimited = observers.filter { $0.following == .allRelationships }
        var reached = reach(from: unlimited.map(\.key), levelLimit: .max, at: writer.writeVersion)
        for observer in observers where observer.following != .allRelationships {
            reached += reach(
                from: [observer.key],
                levelLimit: observer.following.levelLimit,
                at: writer.writeVersion
            )
        }
        var entries: [ObjectIdentifier: Set<EntryID>] = [:]
        for (key, _) in reached {
            let table = tables.table(withTypeIdentifier: key.typeIdentifier)
            if let entry = table?.entry(of: key) {
                entries[key.typeIdentifier, default: []].insert(entry)
            }
        }
        return { entries[$0.typeIdentifier]?.contains($1) ?? false }
    }
}
