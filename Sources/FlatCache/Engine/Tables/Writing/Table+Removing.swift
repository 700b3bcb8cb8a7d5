// Everything here is called under the writers' lock.
extension Table {
    @usableFromInline
    func removeAll(
        in writer: Writer,
        for reason: RemovalReason,
        where isChosen: (EntryID) -> Bool
    ) -> Int {
        var removed = 0
        forEachEntry { entryID, entry in
            guard entry.pointee.value != nil, isChosen(entryID) else { return }
            remove(entryID, for: reason, in: writer)
            removed += 1
        }
        return removed
    }

    /// Writes the removal of a value as part of the open transaction.
    @usableFromInline
    func remove(_ entry: EntryID, for reason: RemovalReason, in writer: Writer) {
        if traits.ownedCacheKeys != nil { recordOwned(by: entry, for: reason, in: writer) }
        if stamps != nil { forgetStamp(of: entry, in: writer) }
        write(nil, to: entry, in: writer)
        if reason != .explicit {
            removalReasons[entry] = reason
            // Evictions and expiries are never rolled back.
            if reason != .pruned { limits?.state.forget(entry) }
        } else if !removalReasons.isEmpty {
            removalReasons[entry] = nil
        }
    }

    @usableFromInline
    func recordOwned(by entry: EntryID, for reason: RemovalReason, in writer: Writer) {
        guard let ownedCacheKeys = traits.ownedCacheKeys, let value = self[entry].pointee.value
        else {
            return
        }
        let keys = writer.runUserCode("ownedCacheKeys", of: Value.self) { ownedCacheKeys(value) }
        for key in keys { writer.orphans.append((key, reason)) }
    }

    /// Removes the modification stamp of a removed value; a rollback restores the stamp.
    @usableFromInline
    func forgetStamp(of entry: EntryID, in writer: Writer) {
        if let undo = stamps?.forget(self[entry].pointee.id) { writer.addUndo(undo) }
    }

    /// Removes an entry without a value from the table.
    ///
    /// The entry must have no prior versions, which a reader may need.
    @usableFromInline
    func detach(_ entryID: EntryID, in writer: Writer) {
        let entry = self[entryID]
        let node = entry.pointee.node
        if node != .none { recordMove(node, to: nil, in: writer) }
        forgetReferences(to: entryID)
        let segment = segments.segment(of: entryID)
        let slot = Int(entryID.slot)
        let stripe = stripe(of: entry.pointee.hash)
        stripe.acquire()
        segment.vacate(slot)
        stripe.state.pointee.layoutGeneration += 1
        if limits != nil { stripe.marks(of: segment).clear(slot) }
        segment.header.pointee.records?[slot] = FreshnessRecord()
        stripe.release()
        if limits != nil { limits?.state.forget(entryID) }
        entryCount -= 1
        listIfSparse(segment, in: stripe)
        // The identifier may hold the last reference to an object, which must not be released under
        // the writers' lock.
        if !MemoryLayout<Value.ID>.isPlain { writer.releaseLater(DepartedID(id: entry.pointee.id)) }
        // Readers can no longer find the entry, and no handle uses its stored address.
        entry.deinitialize(count: 1)
    }

    /// Removes a departing entry from the collections outside its segment.
    @usableFromInline
    func forgetReferences(to entryID: EntryID) {
        if !unreclaimed.isEmpty { unreclaimed.remove(entryID) }
        _ = stamps?.forget(self[entryID].pointee.id)
        staleness.remove(entryID)
        journal?.forget(entryID)
    }
}
