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
        // The prior version is created with the new value. Swapping it with the old one copies no
        // value.
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
        if isGuarded { recordConfirmedWrite(to: entryID) }
        if !staleness.isEmpty { staleness.recordWrite(to: entryID, in: version) }
    }

    /// Adds a value that the open transaction hasn't stored to the log.
    ///
    /// The log releases it after the locks.
    @usableFromInline @inline(never)
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

    @usableFromInline
    func remove(_ entry: EntryID, for reason: RemovalReason, in writer: Writer) {
        if traits.ownedCacheKeys != nil { recordOwned(by: entry, for: reason, in: writer) }
        if stamps != nil { forgetStamp(of: entry, in: writer) }
        if collectsIncoming(writer) { recordIncomingRemoval(of: entry, in: writer) }
        write(nil, to: entry, in: writer)
        if reason != .explicit {
            writer.recordEviction(of: key(of: entry), for: reason)
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
    /// The entry must have no prior versions, since a reader may need them.
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
        // The identifier may hold the last reference to an object that must not be released under
        // the writers' lock.
        if !MemoryLayout<Value.ID>.isPlain { writer.releaseLater(Released(entry.pointee.id)) }
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

// The replacement of all segments by empty ones, under the writers' lock.
extension Table {
    /// Returns segments without entries, one for each stripe.
    ///
    /// - Parameter createdCount: The number of segments that the table has created before.
    static func emptySegments(after createdCount: UInt64) -> SegmentList<Value> {
        let segments = SegmentList<Value>(after: createdCount)
        for index in 0..<Stripes.count {
            _ = segments.create(capacity: SegmentSize.minimumCapacity, .all, inStripe: index)
        }
        return segments
    }

    /// Makes readers use other segments, one for each stripe, under the locks of all stripes.
    ///
    /// - Returns: The previous segments, to be released after the locks.
    func exchangeSegments(for new: SegmentList<Value>) -> SegmentList<Value> {
        for index in 0..<Stripes.count {
            // The first number of each stripe is its index.
            let segment = new.segment(of: EntryID(segment: UInt32(index), slot: 0))
            stripe(at: index).exchangeDirectory(forOnly: segment)
        }
        entryCount = 0
        sparseSegments = []
        defer { segments = new }
        return segments
    }

    func acquireAllStripes() {
        for index in 0..<Stripes.count { stripe(at: index).acquire() }
    }

    func releaseAllStripes() {
        for index in 0..<Stripes.count { stripe(at: index).release() }
    }

    var areStripesSoonFree: Bool {
        (0..<Stripes.count).allSatisfy { stripe(at: $0).lock.pointee.isSoonFree() }
    }

    // MARK: Removing all values

    var needsSingleRemovals: Bool {
        isObservedAsAWhole || hasExchangeHooks || layers != nil || journal != nil || hasUnreclaimed
            || traits.ownedCacheKeys != nil || traits.pinnedKeys != nil
    }

    func prepareToEmpty() -> (_ version: UInt64, _ writer: Writer) -> Int {
        let new = Self.emptySegments(after: segments.createdCount)
        return { [self] version, writer in
            let removed = count(at: nil)
            committedCount.withLock { $0.add(-removed, at: version) }
            hasCountHistory = true
            writer.releaseLater(exchangeSegments(for: new))
            return removed
        }
    }

    /// Forgets the records of limits and stamps, without the locks of the stripes, since
    /// identifiers may run user code.
    func forgetEmptied(in writer: Writer) {
        if let limits { writer.releaseLater(limits.forgetAll()) }
        if let stamps { writer.releaseLater(stamps.forgetAll()) }
        if Value.self == RequestState.self { writer.responses = ResponseRelations() }
        forgetWholeValues(in: writer)
        forgetAllValues(in: writer)
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
        setRequirement(nil, in: writer)
        forgetAllValues(in: writer)
        pins = ChunkedDictionary()
        namePins = ChunkedDictionary()
        if let journal { writer.releaseLater(journal) }
        journal = nil
        if let layers { writer.releaseLater(layers) }
        layers = nil
        typeObservers = RegistrationList()
        writer.releaseLater(Released(exchangeHooks))
        exchangeHooks = RegistrationList()
    }
}
