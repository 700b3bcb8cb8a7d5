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
            defer { batch.end() }
            try body(batch)
            for table in writer.writtenTables where !table.isInternal {
                table.undoOutdatedWrites(since: lease, in: self)
            }
            removeOwnedByRefused(lease)
        }
    }
}

extension Table {
    // The former values are written again, instead of undoing the savepoint's writes, so that
    // participants which have recorded a removal write them, too.
    func undoOutdatedWrites(since lease: Lease, in core: CacheCore) {
        let writer = core.writer
        for entryID in entriesWrittenInSavepoint(of: writer) {
            let entry = self[entryID]
            let id = entry.pointee.id
            guard core.writeSince(lease, to: id, in: self) != nil else { continue }
            let written = entry.pointee.value
            if let prior = entry.pointee.prior, let former = prior.pointee.value {
                let wasStale = limits.map { isStale(prior, $0) } ?? false
                _ = core.store(former, merging: false, in: self, writer)
                if wasStale { core.makeStale(id, in: self) }
            } else if written != nil {
                write(nil, to: entryID, in: writer)
            }
            if let written { core.storeBeneath(written, lease) }
        }
    }

    private func entriesWrittenInSavepoint(of writer: Writer) -> [EntryID] {
        guard let start = savepointStarts.last, start.version == writer.writeVersion else {
            return []
        }
        return pending[start.index...].map { segments.current($0) }
    }
}
