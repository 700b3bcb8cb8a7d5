// The log of writes for the present leases, under the writers' lock.
extension Table {
    /// Records the writes of the open transaction; returns the keys of removed entities.
    ///
    /// Evictions, expiries and pruning don't concern loads.
    func recordWritesForLeases(in writer: Writer) -> [CacheKey] {
        var removed: [CacheKey] = []
        resolvePending()
        for entry in pending {
            if hasValue(entry) {
                recordForLeases(.store, of: self[entry].pointee.id, in: writer)
            } else if removalReasons[entry] == nil {
                recordForLeases(.removal, of: self[entry].pointee.id, in: writer)
                removed.append(key(of: entry))
            }
        }
        return removed
    }

    /// Records an exchange in place, or an attempt with an equal value.
    @usableFromInline
    func recordExchangeForLeases(_ entry: Segment<Value>.Pointer, in writer: Writer) {
        recordForLeases(.store, of: entry.pointee.id, in: writer)
    }

    /// Records a write to an entity.
    func recordForLeases(_ kind: WriteKind, of id: Value.ID, in writer: Writer) {
        writeLog.record(kind, of: id, at: writer.leases.position) { writer.leases.oldest }
    }

    func isInserted(_ entry: EntryID, after version: UInt64) -> Bool {
        self[entry].pointee.version > version && self[entry].pointee.value(at: version) == nil
    }

    func isRecordedAsWritten(_ entry: EntryID, since lease: Lease) -> Bool {
        writeLog.write(to: self[entry].pointee.id, since: lease.number) != nil
    }

    func forgetWrites() {
        if !writeLog.isEmpty { writeLog = WriteLog() }
    }
}
