// The further writes of an answer, under the writers' lock.
extension CacheCore {
    /// Calls a closure that writes in the open transaction, and undoes its writes to the entities,
    /// lists and aliases that other code has written since a lease began.
    ///
    /// If the closure throws an error, its caller rolls back the transaction.
    func write<Failure: Error>(
        under lease: Lease,
        _ body: (CacheBatch) throws(Failure) -> Void
    ) throws(Failure) {
        // Writes concern the confirmed values. If an entity was covered when the savepoint began,
        // its value before the savepoint would be the visible one.
        for table in tables.allTables { table.layers?.uncoverAll() }
        try write("load(…)", asSavepoint: true) { writer throws(Failure) in
            let batch = CacheBatch(core: self)
            writer.leases.stamped = []
            defer {
                writer.leases.stamped = []
                batch.end()
            }
            try body(batch)
            for table in writer.writtenTables where !table.isInternal && table !== requests {
                table.undoOutdatedWrites(since: lease, in: self)
            }
            removeOwnedByRefused(lease)
            writer.participants.rewriters.forEach { rewriter in
                (rewriter as? any ElementDropping)?.dropRemoved(since: lease, in: self)
            }
        }
    }
}

extension Table {
    // The former values are written again, instead of undoing the savepoint's writes, so that
    // participants which have recorded a removal write them, too.
    func undoOutdatedWrites(since lease: Lease, in core: CacheCore) {
        let writer = core.writer
        resolvePending()
        var undone: [(index: Int, written: Value?)] = []
        for index in positionsWrittenInSavepoint(of: writer) {
            let id = self[pending[index]].pointee.id
            guard core.writeSince(lease, to: id, in: self) != nil,
                !writer.leases.stamped.contains(key(of: pending[index]))
            else { continue }
            let written = self[pending[index]].pointee.value
            if !storeFormerValue(at: index, in: core), written != nil {
                write(nil, to: pending[index], in: writer)
            }
            undone.append((index, written))
        }
        undoIncoming(of: Set(undone.map { self[pending[$0.index]].pointee.id }), in: writer)
        for (index, written) in undone {
            guard let written, core.storeBeneath(written, lease) else { continue }
            setRestoredTimes(nil, at: index)
        }
    }

    func undoRemoval(of key: CacheKey, in core: CacheCore) {
        guard let entryID = entry(of: key), !hasValue(entryID),
            self[entryID].pointee.version == core.writer.writeVersion
        else { return }
        resolvePending()
        guard let index = pending.lastIndex(of: entryID) else { return }
        _ = storeFormerValue(at: index, in: core)
        undoIncoming(of: [self[entryID].pointee.id], in: core.writer)
    }

    /// Stores the value that an entity had before the savepoint; returns `false` if it had none.
    ///
    /// If the savepoint has removed the value, its stamp and the entities that it owns return, too.
    private func storeFormerValue(at index: Int, in core: CacheCore) -> Bool {
        let entryID = pending[index]
        let (entry, writer) = (self[entryID], core.writer)
        guard let prior = entry.pointee.prior, let former = prior.pointee.value else {
            return false
        }
        let id = entry.pointee.id
        let isRemoved = entry.pointee.value == nil
        let wasStale = limits.map { isStale(prior, $0) } ?? false
        _ = core.store(former, merging: false, in: self, writer)
        // A value that the transaction itself has stored before has no times yet.
        if limits?.state.isTimed ?? false, prior.pointee.version <= writer.committedVersion {
            let record = prior.pointee.freshness
            let times = StoredTimes(stored: record.stored, staleFrom: record.staleFrom)
            setRestoredTimes(times, at: index)
        }
        if wasStale { core.makeStale(id, in: self) }
        guard isRemoved else { return true }
        if let undo = stamps?.restore(id) { writer.addUndo(undo) }
        guard let ownedCacheKeys = traits.ownedCacheKeys else { return true }
        let owned = writer.runUserCode("ownedCacheKeys", of: Value.self) { ownedCacheKeys(former) }
        for key in owned {
            let table = core.tables.table(withTypeIdentifier: key.typeIdentifier)
            table?.undoRemoval(of: key, in: core)
        }
        return true
    }

    /// The positions of the entries that the savepoint has written, among the pending ones.
    private func positionsWrittenInSavepoint(of writer: Writer) -> Range<Int> {
        guard let start = savepointStarts.last, start.version == writer.writeVersion else {
            return 0..<0
        }
        return start.index..<pending.count
    }
}
