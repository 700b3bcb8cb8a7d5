// Everything here is called under the writers' lock.
extension Table {
    /// Returns the entry of an identifier, whether or not it has a value now.
    ///
    /// The result is valid until the table is rebuilt or the writers' lock is released.
    @inlinable @inline(__always)
    func entry(id: Value.ID, hash: UInt32) -> Region<Value>.Pointer? {
        stripe(of: hash).state.pointee.region.entry(id: id, hash: hash)
    }

    /// Returns the entry of an identifier as an `EntryID`.
    @inlinable
    func entryID(id: Value.ID, hash: UInt32) -> EntryID? {
        let stripe = Stripes.index(of: hash)
        return self.stripe(at: stripe).state.pointee.region.slot(of: id, hash: hash).map {
            EntryID(slot: UInt32(stripe &* block.capacity &+ $0))
        }
    }

    /// The number of entries to look up before the first of them is written.
    ///
    /// A processor overlaps about as many memory accesses.
    @inlinable static var lookupsAtATime: Int { 16 }

    /// Returns the value of an identifier, with the writes of the open transaction so far.
    @inlinable
    func writtenValue(id: Value.ID) -> Value? {
        entry(id: id, hash: Self.hash(of: id))?.pointee.value
    }

    /// The number of values, with the writes of the open transaction so far.
    @usableFromInline var writtenCount: Int { count(at: nil) + countDifference }

    /// Calls a closure with each value, with the writes of the open transaction so far.
    @inlinable
    func forEachWrittenValue(_ body: (Value.ID, Value) -> Void) {
        for index in 0..<Stripes.count {
            let region = stripe(at: index).state.pointee.region
            region.forEachSlot { slot in
                let entry = region.entries + slot
                if let value = entry.pointee.value { body(entry.pointee.id, value) }
            }
        }
    }

    func entry(of key: CacheKey) -> EntryID? { steps.entry(self, key) }

    @inlinable
    func entryID(of key: CacheKey) -> EntryID? {
        guard let id: Value.ID = key.identifier.typed() else { return nil }
        return entryID(id: id, hash: Self.hash(of: id))
    }

    var hasRelationships: Bool { traits.relatedCacheKeys != nil }

    func relatedCacheKeys(
        of entry: EntryID,
        at version: UInt64,
        in writer: Writer
    ) -> Set<CacheKey> {
        guard let relatedCacheKeys = traits.relatedCacheKeys,
            let value = self[entry].pointee.value(at: version)
        else { return [] }
        return writer.runUserCode("relatedCacheKeys", of: Value.self) { relatedCacheKeys(value) }
    }

    func listedCacheKeys(of entry: EntryID, at version: UInt64) -> [CacheKey]? {
        guard let listedCacheKeys = traits.listedCacheKeys else { return nil }
        return self[entry].pointee.value(at: version).map(listedCacheKeys) ?? []
    }

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
        let prior = PriorVersion(
            value: value,
            version: entry.pointee.version,
            older: isWrittenInSavepoint ? nil : entry.pointee.prior
        )
        let stripe = stripe(of: entry.pointee.hash)
        stripe.acquire()
        swap(&entry.pointee.value, &prior.value)
        if let records = stripe.state.pointee.records {
            prior.freshness = freshness(of: entry, in: stripe, records)
        }
        if !isWrittenInSavepoint {
            entry.pointee.prior = prior
            entry.pointee.version = version
        }
        stripe.release()
        if isWrittenInSavepoint {
            writer.releaseLater(prior)
        } else {
            pending.append(entryID)
            if !isRecordedAsWritten { recordWrite(in: writer) }
        }
        if !staleness.isEmpty { staleness.recordWrite(to: entryID, in: version) }
    }

    /// Returns the freshness record of an entry, under the lock of its stripe.
    @inlinable @inline(__always)
    func freshness(
        of entry: Region<Value>.Pointer,
        in stripe: Stripe<Value>,
        _ records: UnsafeMutablePointer<FreshnessRecord>
    ) -> FreshnessRecord {
        FreshnessRecords(base: records)[entry - stripe.state.pointee.region.entries]
    }

    /// Exchanges the value of an entry, and publishes the exchange as a commit of its own.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - value: The new value.
    ///   - version: The version of the commit.
    ///   - times: The times of the value, if its freshness record is all that has to be updated.
    /// - Returns: The prior value, to be released after the writers' lock.
    @inlinable @inline(__always)
    func exchange(
        _ entry: Region<Value>.Pointer,
        for value: Value,
        at version: UInt64,
        times: StoredTimes?
    ) -> Value? {
        let stripe = stripe(of: entry.pointee.hash)
        var prior: Value? = value
        stripe.acquire()
        swap(&entry.pointee.value, &prior)
        if let base = stripe.state.pointee.marks {
            let region = stripe.state.pointee.region
            let marks = EvictionMarks(base: base, capacity: region.capacity)
            marks.recordStored(entry - region.entries)
        }
        let oldVersion = entry.pointee.version
        entry.pointee.version = version
        // Published under the lock, since no value is kept for readers that would see the old
        // version.
        clock.publish(version)
        // The old value is kept only for a snapshot that was opened after the writer's check.
        let isKept = clock.hasOpenSnapshots
        if isKept {
            let kept = PriorVersion(
                value: prior,
                version: oldVersion,
                older: entry.pointee.prior
            )
            if let records = stripe.state.pointee.records {
                kept.freshness = freshness(of: entry, in: stripe, records)
            }
            entry.pointee.prior = kept
        }
        if let times, let records = stripe.state.pointee.records {
            let slot = entry - stripe.state.pointee.region.entries
            FreshnessRecords(base: records)[slot].recordStored(times)
        }
        stripe.release()
        if isKept { recordKept(id(of: entry)) }
        return prior
    }

    /// Marks an entry as unreclaimed, because it keeps a value for a snapshot that was opened
    /// during an exchange.
    @usableFromInline
    func recordKept(_ entry: EntryID) {
        unreclaimed.insert(entry)
        clock.hasUnreclaimedTables = true
    }

    @usableFromInline
    func recordWrite(in writer: Writer) { writer.recordWrite(to: self) }

    /// Adds an entry for a new value as part of the open transaction.
    ///
    /// The caller then updates the watch graph.
    @inlinable
    func insert(_ value: Value, id: Value.ID, hash: UInt32, in writer: Writer) -> EntryID {
        let index = Stripes.index(of: hash)
        let stripe = stripe(at: index)
        if stripe.state.pointee.region.isFull { rebuild(in: writer) }
        let slot = stripe.state.pointee.region.freeSlot(for: hash)
        let entryID = EntryID(slot: UInt32(index &* block.capacity &+ slot))
        let isFirstUse = stripe.state.pointee.region.tags[slot] == .empty
        stripe.acquire()
        // A reader doesn't access an entry before its tag shows that the slot is occupied.
        self[entryID].initialize(
            to: Entry(id: id, hash: hash, version: writer.writeVersion, value: value)
        )
        stripe.state.pointee.region.tags[slot] = SlotTag(hash: hash)
        if isFirstUse { stripe.state.pointee.region.used &+= 1 }
        stripe.release()
        entryCount += 1
        countDifference += 1
        pending.append(entryID)
        if !isRecordedAsWritten { recordWrite(in: writer) }
        return entryID
    }

    @usableFromInline
    func removeAll(
        in writer: Writer,
        for reason: RemovalReason,
        where isChosen: (EntryID) -> Bool
    ) -> Int {
        var removed = 0
        for index in 0..<Stripes.count {
            stripe(at: index).state.pointee.region.forEachSlot { slot in
                let entry = EntryID(slot: UInt32(index * block.capacity + slot))
                guard self[entry].pointee.value != nil, isChosen(entry) else { return }
                remove(entry, for: reason, in: writer)
                removed += 1
            }
        }
        return removed
    }

    /// Writes the removal of a value as part of the open transaction.
    @inlinable
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

    func hasValue(_ entry: EntryID) -> Bool { self[entry].pointee.value != nil }

    /// Removes an entry without a value from the table.
    ///
    /// The entry must have no prior versions, which a reader may need.
    @usableFromInline
    func detach(_ entryID: EntryID, in writer: Writer) {
        let entry = self[entryID]
        let node = entry.pointee.node
        if node != .none { writer.nodeChanges.append(NodeChange(node: node, entry: nil)) }
        if !unreclaimed.isEmpty { unreclaimed.remove(entryID) }
        _ = stamps?.forget(entry.pointee.id)
        let (index, slot) = Int(entryID.slot).quotientAndRemainder(dividingBy: block.capacity)
        let stripe = stripe(at: index)
        stripe.acquire()
        let emptied = stripe.state.pointee.region.vacate(slot)
        stripe.state.pointee.region.used -= UInt32(emptied)
        stripe.state.pointee.layoutGeneration += 1
        limits?.block.marks(ofStripe: index).clear(slot)
        limits?.records?.records(ofStripe: index)[slot] = FreshnessRecord()
        stripe.release()
        limits?.state.forget(entryID)
        staleness.remove(entryID)
        peakCount = max(peakCount, entryCount)
        entryCount -= 1
        // The identifier may hold the last reference to an object, which must not be released under
        // the writers' lock.
        if !_isPOD(Value.ID.self) { writer.releaseLater(DepartedID(id: entry.pointee.id)) }
        // Readers can't find the entry any more, and no handle uses its stored address.
        entry.deinitialize(count: 1)
    }

    func close(in writer: Writer) {
        let empty = EntryBlock<Value>(capacity: EntryBlock<Value>.leastCapacity)
        // Readers use the former marks until the regions are exchanged.
        let former = limits.take()
        exchangeRegions(for: (0..<Stripes.count).map { Region(ofStripe: $0, in: empty) })
        withExtendedLifetime(former) {}
        writer.releaseLater(block)
        block = empty
        entryCount = 0
        unreclaimed = []
        stamps = nil
        pins = [:]
        namePins = [:]
        isObservedAsAWhole = false
        writer.releaseLater(Released(exchangeHooks))
        exchangeHooks = RegistrationList()
    }
}

/// An identifier whose entry has left the table, to be released after the locks.
private final class DepartedID<ID: Sendable>: Sendable {
    private let id: ID

    init(id: ID) { self.id = id }
}
