// Everything here is called under the writers' lock.
extension Table {
    /// Writes a new value, or a removal, as part of the open transaction.
    @inlinable
    func write(_ value: Value?, to entryID: EntryID, in writer: Writer) {
        let entry = self[entryID]
        countDifference += (value == nil ? 0 : 1) - (entry.pointee.value == nil ? 0 : 1)
        if value == nil { hasWrittenRemovals = true }
        let version = writer.writeVersion
        let isWrittenInSavepoint = entry.pointee.version == version
        // Created with the new value, which is then swapped with the old one, so that no value is
        // copied.
        let prior = log.append(
            PriorVersion(
                value: value,
                version: entry.pointee.version,
                older: isWrittenInSavepoint ? nil : prior(of: entry)
            )
        )
        let stripe = stripe(of: entry.pointee.hash)
        stripe.acquire()
        swap(&entry.pointee.value, &prior.pointee.value)
        if stripe.state.pointee.recordsFreshness {
            prior.pointee.freshness = segments.segment(of: entryID).record(of: Int(entryID.slot))
        }
        if !isWrittenInSavepoint {
            entry.pointee.prior = prior
            entry.pointee.version = version
        }
        stripe.release()
        if !isWrittenInSavepoint { appendPending(entryID, in: writer) }
        if !staleness.isEmpty { staleness.recordWrite(to: entryID, in: version) }
    }

    /// Adds a value that the open transaction hasn't stored to the log, which releases it after the
    /// locks.
    @inlinable
    func releaseLater(_ value: Value, in writer: Writer) {
        _ = log.append(PriorVersion(value: value, version: 0, older: nil))
        if !isRecordedAsWritten { recordWrite(in: writer) }
    }

    @usableFromInline
    func recordWrite(in writer: Writer) { writer.recordWrite(to: self) }

    /// Adds an entry for a new value as part of the open transaction.
    ///
    /// The caller then updates the watch graph.
    @inlinable
    func insert(_ value: Value, id: Value.ID, hash: UInt32, in writer: Writer) -> EntryID {
        let stripe = stripe(of: hash)
        var segment = stripe.state.pointee.segment(of: hash)
        if segment.isFull {
            makeRoom(for: hash, in: writer)
            segment = stripe.state.pointee.segment(of: hash)
        }
        let slot = segment.freeSlot(for: hash)
        let entryID = segment.id(ofSlot: slot)
        stripe.acquire()
        (segment.entries + slot).initialize(
            to: Entry(id: id, hash: hash, version: writer.writeVersion, value: value)
        )
        segment.occupy(slot, hash: hash)
        stripe.release()
        entryCount += 1
        countDifference += 1
        appendPending(entryID, in: writer)
        return entryID
    }

    /// Records that the innermost savepoint has written an entry for the first time.
    @inlinable @inline(__always)
    func appendPending(_ entry: EntryID, in writer: Writer) {
        if !writer.isAtOutermostSavepoint { recordSavepoint(of: writer.writeVersion) }
        pending.append(entry)
        if !isRecordedAsWritten { recordWrite(in: writer) }
    }

    @usableFromInline
    func recordSavepoint(of version: UInt64) {
        if savepointStarts.last?.version != version {
            savepointStarts.append((version, pending.count))
        }
    }
}
