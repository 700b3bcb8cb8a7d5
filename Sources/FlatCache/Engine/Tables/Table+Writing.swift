// Everything here is called under the writers' lock.
extension Table {
    /// Returns the entry of an identifier, whether or not it has a value now.
    ///
    /// The result is valid until an entry is inserted or the writers' lock is released.
    @inlinable @inline(__always)
    func entry(id: Value.ID, hash: UInt32) -> Segment<Value>.Pointer? {
        segment(of: hash).entry(id: id, hash: hash)
    }

    /// Returns the entry of an identifier as an `EntryID`.
    @inlinable
    func entryID(id: Value.ID, hash: UInt32) -> EntryID? {
        let segment = segment(of: hash)
        return segment.slot(of: id, hash: hash).map { segment.id(ofSlot: $0) }
    }

    /// The number of entries to look up before the first of them is written.
    ///
    /// A processor overlaps about as many memory accesses.
    @inlinable static var lookupsAtATime: Int { 16 }

    /// Returns the value of an identifier, with the writes of the open transaction so far.
    @inlinable
    func writtenValue(id: Value.ID) -> Value? {
        entry(id: id, hash: hash(of: id))?.pointee.value
    }

    /// The number of values, with the writes of the open transaction so far.
    @usableFromInline var writtenCount: Int { count(at: nil) + countDifference }

    /// Calls a closure with each value, with the writes of the open transaction so far.
    @inlinable
    func forEachWrittenValue(_ body: (Value.ID, Value) -> Void) {
        forEachEntry { _, entry in
            if let value = entry.pointee.value { body(entry.pointee.id, value) }
        }
    }

    /// Calls a closure with each segment, in the order of the stripes and of the hashes.
    ///
    /// The closure must not insert an entry.
    @inlinable
    func forEachSegment(_ body: (Stripe<Value>, Segment<Value>) -> Void) {
        for index in 0..<Stripes.count {
            let stripe = stripe(at: index)
            var position: UInt64 = 0
            while position < HashRange.all.end {
                let segment = stripe.state.pointee.segment(of: UInt32(position))
                position = segment.header.pointee.range.end
                body(stripe, segment)
            }
        }
    }

    /// Calls a closure with each entry, with or without a value.
    ///
    /// The closure must not insert an entry.
    @inlinable
    func forEachEntry(_ body: (EntryID, Segment<Value>.Pointer) -> Void) {
        forEachSegment { _, segment in
            segment.forEachSlot { body(segment.id(ofSlot: $0), segment.entries + $0) }
        }
    }

    func entry(of key: CacheKey) -> EntryID? { steps.entry(self, key) }

    @inlinable
    func entryID(of key: CacheKey) -> EntryID? {
        guard let id: Value.ID = key.identifier.typed() else { return nil }
        return entryID(id: id, hash: hash(of: id))
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
        _ entry: Segment<Value>.Pointer,
        for value: Value,
        at version: UInt64,
        times: StoredTimes?
    ) -> Value? {
        let hash = entry.pointee.hash
        let stripe = stripe(of: hash)
        var prior: Value? = value
        if times != nil { ensureRecords(of: stripe.state.pointee.segment(of: hash), in: stripe) }
        stripe.acquire()
        swap(&entry.pointee.value, &prior)
        if stripe.state.pointee.recordsReads {
            let segment = stripe.state.pointee.segment(of: hash)
            stripe.marks(of: segment).recordStored(entry - segment.entries)
        }
        let oldVersion = entry.pointee.version
        entry.pointee.version = version
        // Published under the lock, since no value is kept for readers that would see the old
        // version.
        clock.publish(version)
        // The old value is kept only for a snapshot that was opened after the writer's check.
        let isKept = clock.hasOpenSnapshots
        if oldVersion <= reclaimedVersion { entry.pointee.prior = nil }
        if isKept { keep(prior, of: oldVersion, for: entry, in: stripe) }
        if let times {
            let segment = stripe.state.pointee.segment(of: hash)
            segment.header.pointee.records?[entry - segment.entries].recordStored(times)
        }
        stripe.release()
        if isKept { recordKept(id(of: entry)) }
        return prior
    }

    /// Returns the prior versions of an entry.
    @inlinable @inline(__always)
    func prior(of entry: Segment<Value>.Pointer) -> PriorVersion<Value>.Pointer? {
        entry.pointee.version <= reclaimedVersion ? nil : entry.pointee.prior
    }

    /// Adds a value that the open transaction hasn't stored to the log, which releases it after the
    /// locks.
    @inlinable
    func releaseLater(_ value: Value, in writer: Writer) {
        _ = log.append(PriorVersion(value: value, version: 0, older: nil))
        if !isRecordedAsWritten { recordWrite(in: writer) }
    }

    /// Keeps the prior value of an exchange in place for an open snapshot, under the stripe's lock.
    @usableFromInline
    func keep(
        _ value: Value?,
        of version: UInt64,
        for entry: Segment<Value>.Pointer,
        in stripe: Stripe<Value>
    ) {
        var prior = PriorVersion(value: value, version: version, older: entry.pointee.prior)
        if stripe.state.pointee.recordsFreshness {
            let segment = stripe.state.pointee.segment(of: entry.pointee.hash)
            prior.freshness = segment.record(of: entry - segment.entries)
        }
        entry.pointee.prior = PriorVersion.keep(prior)
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
    @inlinable
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

    func close(in writer: Writer) {
        let new = Self.emptySegments(after: segments.createdCount)
        acquireAllStripes()
        let former = exchangeSegments(for: new)
        releaseAllStripes()
        limits = nil
        shareMarks()
        // Readers can no longer reach the previous segments.
        dropAllPriorVersions(in: former) { _ = log.append($0.move()) }
        if let memory = log.close() { writer.releaseLater(memory) }
        writer.releaseLater(former)
        unreclaimed = ChunkedSet()
        stamps = nil
        pins = ChunkedDictionary()
        namePins = ChunkedDictionary()
        if let journal { writer.releaseLater(journal) }
        journal = nil
        isObservedAsAWhole = false
        writer.releaseLater(Released(exchangeHooks))
        exchangeHooks = RegistrationList()
    }
}

/// An identifier whose entry has left the table, to be released after the locks.
@usableFromInline
final class DepartedID<ID: Sendable>: Sendable {
    private let id: ID

    @usableFromInline
    init(id: ID) { self.id = id }
}
