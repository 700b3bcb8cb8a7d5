extension CacheCore {
    /// Returns the freshness of an entity, as of the latest visible commit.
    @usableFromInline
    func freshness<Value: Identifiable & Sendable>(
        of id: Value.ID,
        in table: Table<Value>
    ) -> Freshness where Value.ID: Sendable {
        if isClosed { return .missing }
        let freshness = table.freshness(of: id, at: nil) { policies.timeline.now }
        // An entity that only layers have can't be loaded.
        if freshness.isStale,
            let state = get(ConfirmedState.self, id: CacheKey(Value.self, id: id)),
            state.value == nil
        {
            return .fresh(since: nil)
        }
        return freshness
    }

    /// Returns the freshness of an entity, with the writes of the open transaction so far.
    @usableFromInline
    func writtenFreshness<Value: Identifiable & Sendable>(
        of id: Value.ID,
        in table: Table<Value>
    ) -> Freshness where Value.ID: Sendable {
        table.writtenFreshness(of: id, in: writer) { policies.timeline.now }
    }

    // MARK: Invalidating

    @usableFromInline
    func invalidate<Value: Identifiable & Sendable>(
        _ id: Value.ID,
        in table: Table<Value>
    ) where Value.ID: Sendable {
        let hash = table.hash(of: id)
        write("invalidate(_:id:)") { writer in
            if mustRecordWithdrawals { recordWithdrawal(.invalidation, of: id, in: table) }
            if table.isInternal { return }
            beginToInvalidate(in: table)
            table.uncover(id)
            guard let entry = table.entryID(id: id, hash: hash), table.hasValue(entry) else {
                return
            }
            table.makeStale(entry, in: writer)
        }
    }

    @usableFromInline
    func invalidateAll<Value: Identifiable & Sendable>(in table: Table<Value>)
    where Value.ID: Sendable {
        write("invalidate(_:)") { writer in
            if mustRecordWithdrawals { recordWithdrawalOfAll(.invalidation, in: table) }
            if table.isInternal { return }
            beginToInvalidate(in: table)
            if table.entryCount == 0 { return }
            table.makeAllStale(in: writer)
        }
    }

    @usableFromInline
    func invalidate<Value: Identifiable & Sendable, Failure: Error>(
        _ type: Value.Type,
        where isChosen: (Value) throws(Failure) -> Bool
    ) throws(Failure) where Value.ID: Sendable {
        try write("invalidate(_:where:)", asSavepoint: true) { writer throws(Failure) in
            let table = tables.table(of: type)
            if table.isInternal { return }
            beginToInvalidate(in: table)
            table.layers?.uncoverAll()
            var chosen: [EntryID] = []
            for entryID in table.occupiedEntries {
                guard let value = table[entryID].pointee.value else { continue }
                let isIncluded = writer.runUserCode("the condition", of: type) {
                    Swift.Result { () throws(Failure) in try isChosen(value) }
                }
                if try isIncluded.get() { chosen.append(entryID) }
            }
            for entryID in chosen {
                if mustRecordWithdrawals {
                    recordWithdrawal(.invalidation, of: table[entryID].pointee.id, in: table)
                }
                table.makeStale(entryID, in: writer)
            }
        }
    }

    /// Makes commits look for values that become stale, and makes a table record the times of its
    /// values, even if none of them becomes stale now.
    @usableFromInline
    func beginToInvalidate<Value: Identifiable & Sendable>(in table: Table<Value>)
    where Value.ID: Sendable {
        writer.hasLimits = true
        beginToRecordTimes()
        table.beginToRecordFreshness(policies.timeline, wakeTime)
    }

    /// Prepares the table of entities that the open transaction makes stale.
    func resolveStaleness(of table: any AnyTable) {
        table.resolveStaleness(watched: { watchedEntries(of: table) }, in: writer)
    }

    /// Marks newly watched entities as becoming stale if the open transaction invalidates their
    /// type.
    func addStaleness(ofNewlyWatchedAt version: UInt64) {
        guard writer.hasLimits else { return }
        for table in writer.writtenTables where table.makesAllStale {
            let entries =
                table.isObservedAsAWhole ? table.occupiedEntries : watchedEntries(of: table)
            table.addStaleness(to: entries, version: version)
        }
    }

    /// Returns the watched entries of a table.
    ///
    /// - Complexity: O(*n*) in the number of watched entities.
    private func watchedEntries(of table: any AnyTable) -> [EntryID] {
        writer.graph.allNodes.compactMap { node in
            guard let entry = writer.graph[node].entry, entry.table === table else { return nil }
            return entry.entry
        }
    }
}
