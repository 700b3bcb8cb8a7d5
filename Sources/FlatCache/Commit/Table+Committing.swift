// Everything here is called under the writers' lock.
extension Table {
    func mergeInnermostSavepoint(of writer: Writer) {
        staleness.merge(writer.writeVersion)
        incoming.merge(writer.writeVersion)
        guard let start = takeStart(ofInner: writer.writeVersion) else { return }
        let outer = writer.writeVersion - 1
        var kept = start
        for index in start..<pending.count {
            let entryID = segments.current(pending[index])
            let entry = self[entryID]
            let prior = entry.pointee.prior
            let outerWrite = prior?.pointee.version == outer ? prior : nil
            let stripe = stripe(of: entry.pointee.hash)
            stripe.acquire()
            entry.pointee.version = outer
            if let outerWrite { entry.pointee.prior = outerWrite.pointee.older }
            stripe.release()
            // For a write of the outer savepoint, the list already contains the entry.
            if outerWrite == nil {
                pending[kept] = entryID
                if kept < restoredTimes.count {
                    restoredTimes[kept] = index < restoredTimes.count ? restoredTimes[index] : nil
                }
                kept += 1
            }
        }
        pending.removeSubrange(kept...)
        trimRestoredTimes()
        let isOutermost = outer == writer.committedVersion + 1
        if kept > start, !isOutermost, savepointStarts.last?.version != outer {
            savepointStarts.append((outer, start))
        }
    }

    func rollBackInnermostSavepoint(of writer: Writer) {
        staleness.rollBack(writer.writeVersion)
        if !incoming.isEmpty {
            writer.releaseLater(Released(incoming.rollBack(writer.writeVersion)))
        }
        let start =
            writer.isAtOutermostSavepoint ? 0 : takeStart(ofInner: writer.writeVersion)
        guard let start else { return }
        while pending.count > start {
            let entry = segments.current(pending.removeLast())
            if restore(entry, in: writer) { detach(entry, in: writer) }
        }
        trimRestoredTimes()
    }

    /// Sets the times that a written value keeps, or makes its times those of the commit.
    ///
    /// - Parameter index: The position of the value's entry among the pending ones.
    @usableFromInline
    func setRestoredTimes(_ times: StoredTimes?, at index: Int) {
        if times == nil, index >= restoredTimes.count { return }
        while restoredTimes.count <= index { restoredTimes.append(nil) }
        restoredTimes[index] = times
    }

    /// Removes the times of entries that are no longer pending.
    private func trimRestoredTimes() {
        if restoredTimes.count > pending.count { restoredTimes.removeSubrange(pending.count...) }
    }

    /// Returns the position of the first entry that an inner savepoint has written, and forgets it.
    ///
    /// The versions of the entries don't determine it: an inner savepoint may have written entries
    /// of the outer ones again.
    private func takeStart(ofInner version: UInt64) -> Int? {
        guard savepointStarts.last?.version == version else { return nil }
        return savepointStarts.removeLast().index
    }

    func discardUnchanged(in writer: Writer) -> Int {
        discardUnchangedEntries(in: writer) + staleness.count
    }

    private func discardUnchangedEntries(in writer: Writer) -> Int {
        // An entry is unchanged only if its value equals the previous one, or if it was added and
        // removed.
        if traits.isEqual == nil, !hasWrittenRemovals { return pending.count }
        resolvePending()
        var changed = 0
        for index in pending.indices {
            let entry = pending[index]
            if isUnchanged(entry, in: writer) {
                discard(entry, in: writer)
            } else {
                if changed < index { pending[changed] = entry }
                changed += 1
            }
        }
        if changed < pending.count { pending.removeSubrange(changed...) }
        return changed
    }

    // Separate, since the types' metadata would be looked up in each call of the caller.
    @inline(never)
    private func discard(_ entry: EntryID, in writer: Writer) {
        _ = restore(entry, in: writer)
        if self[entry].pointee.value == nil, self[entry].pointee.prior == nil {
            detachUnlessCovered(entry, in: writer)
        }
    }

    @usableFromInline
    func isUnchanged(_ entryID: EntryID, in writer: Writer) -> Bool {
        let entry = self[entryID]
        guard let prior = entry.pointee.prior, let old = prior.pointee.value else {
            return entry.pointee.value == nil
        }
        guard traits.isEqual != nil, let new = entry.pointee.value else { return false }
        // A stale value that is stored again becomes fresh, and its observers are notified of that.
        if let limits, isStale(prior, limits), !isWrittenByLayersAlone(entryID) { return false }
        // The whole type becomes stale, except values that are stored later, such as this one.
        if !staleness.isEmpty, isRenewed(entryID) { return false }
        return writer.areEqual(old, new, traits)
    }

    /// Undoes the newest write to an entry; returns whether the write has added the entry.
    @usableFromInline
    func restore(_ entryID: EntryID, in writer: Writer) -> Bool {
        let entry = self[entryID]
        let isNew = entry.pointee.prior == nil
        // An entry that was new gets the version zero: its version must not be equal to the next
        // transaction's.
        let previous =
            entry.pointee.prior ?? log.append(PriorVersion(value: nil, version: 0, older: nil))
        countDifference +=
            (previous.pointee.value == nil ? 0 : 1) - (entry.pointee.value == nil ? 0 : 1)
        let stripe = stripe(of: entry.pointee.hash)
        stripe.acquire()
        // The log releases the undone value.
        swap(&entry.pointee.value, &previous.pointee.value)
        entry.pointee.version = previous.pointee.version
        entry.pointee.prior = previous.pointee.older
        stripe.release()
        if !removalReasons.isEmpty { removalReasons[entryID] = nil }
        return isNew
    }

    func prepareToPublish(_ version: UInt64) {
        publishStaleness(version)
        guard countDifference != 0 else { return }
        committedCount.withLock { $0.add(countDifference, at: version) }
        hasCountHistory = true
        countDifference = 0
    }

    func reclaim(in writer: Writer) {
        resolvePending()
        if clock.hasOpenSnapshots || !unreclaimed.isEmpty {
            reclaimForSnapshots(in: writer)
        } else {
            if !log.isEmpty { waitForReaders() }
            reclaimedVersion = writer.committedVersion
            if hasWrittenRemovals { detachEmptyEntries(in: writer) }
            pending.removeAll(keepingCapacity: pending.capacity <= Self.keptPendingCapacity)
            endReclaiming(keeping: [], in: writer)
        }
        if !sparseSegments.isEmpty { shrinkSparseSegments(in: writer) }
    }

    @inline(never)
    private func detachEmptyEntries(in writer: Writer) {
        for entry in pending where self[entry].pointee.value == nil {
            detachUnlessCovered(entry, in: writer)
        }
    }

    /// Waits until no reader uses a prior version that the open transaction has displaced.
    ///
    /// A reader looks at the clock and at the prior versions under the lock of a stripe. If it
    /// acquires the lock later, it sees the version that has been published.
    @usableFromInline
    func waitForReaders() {
        var stripes: UInt32 = 0
        for entry in pending { stripes |= 1 &<< UInt32(Stripes.index(of: entry.segment)) }
        while stripes != 0 {
            let stripe = stripe(at: stripes.trailingZeroBitCount)
            #if TestHooks
            clock.onWaitForReaders()
            #endif
            stripe.acquire()
            stripe.release()
            stripes &= stripes &- 1
        }
    }

    /// The capacity for pending entries that is kept between commits.
    @usableFromInline static var keptPendingCapacity: Int { 64 }

    /// The number of entries that are examined at a time after the last snapshot has closed.
    private static var reclaimedAtATime: Int { 256 }

    /// Reclaims the pending entries while snapshots are open or entries keep data for snapshots,
    /// and some of these entries.
    @usableFromInline
    func reclaimForSnapshots(in writer: Writer) {
        let hasOpenSnapshots = clock.hasOpenSnapshots
        let readVersions = hasOpenSnapshots ? clock.openSnapshotVersions : []
        // While a snapshot is open, it may need them all. As many are examined as may be added, so
        // that data for closed snapshots is found after a while. A part that has more is examined
        // once for several commits.
        unreclaimedToExamine =
            hasOpenSnapshots ? unreclaimedToExamine + pending.count : Self.reclaimedAtATime
        for entry in pending { reclaim(entry, keeping: readVersions, in: writer) }
        pending = []
        // None is examined twice.
        unreclaimedToExamine = min(unreclaimedToExamine, unreclaimed.count)
        while unreclaimedToExamine > 0 {
            let part = unreclaimed.nextPart(&lastUnreclaimed)
            unreclaimedToExamine -= part.count
            for entry in part { reclaim(entry, keeping: readVersions, in: writer) }
        }
        endReclaiming(keeping: readVersions, in: writer)
    }

    @usableFromInline
    func endReclaiming(keeping readVersions: [UInt64], in writer: Writer) {
        hasWrittenRemovals = false
        if !staleness.isEmpty { staleness = PendingStaleness() }
        if !removalReasons.isEmpty { removalReasons = [:] }
        if !restoredTimes.isEmpty { restoredTimes = [] }
        if !incoming.isEmpty { endIncoming(in: writer) }
        if let memory = log.close() { writer.releaseLater(memory) }
        if hasUnreclaimed {
            committedCount.withLock { count in
                count.reclaim(keeping: readVersions)
                hasCountHistory = count.holdsPriorCounts
            }
            if hasUnreclaimed { clock.hasUnreclaimedTables = true }
        }
    }

    var hasUnreclaimed: Bool { !unreclaimed.isEmpty || hasCountHistory }

    /// Drops the prior versions of an entry that no reader needs.
    private func reclaim(
        _ entryID: EntryID,
        keeping readVersions: [UInt64],
        in writer: Writer
    ) {
        let entry = self[entryID]
        if entry.pointee.prior != nil {
            dropPriorVersions(of: entry, keeping: readVersions, in: writer)
        }
        if entry.pointee.prior != nil {
            return unreclaimed.insert(entryID)
        }
        unreclaimed.remove(entryID)
        if entry.pointee.value == nil { detachUnlessCovered(entryID, in: writer) }
    }

    private func dropPriorVersions(
        of entry: Segment<Value>.Pointer,
        keeping readVersions: [UInt64],
        in writer: Writer
    ) {
        var dropped: PriorVersion<Value>.Pointer?
        let stripe = stripe(of: entry.pointee.hash)
        stripe.acquire()
        var newerVersion = entry.pointee.version
        var next = entry.pointee.prior
        var lastKept: PriorVersion<Value>.Pointer?
        entry.pointee.prior = nil
        while var prior = next {
            next = prior.pointee.older
            let version = prior.pointee.version
            if readVersions.contains(where: { version <= $0 && $0 < newerVersion }) {
                if !prior.pointee.isKept { prior = PriorVersion.keep(prior.pointee.takeContent()) }
                prior.pointee.older = nil
                if let lastKept {
                    lastKept.pointee.older = prior
                } else {
                    entry.pointee.prior = prior
                }
                lastKept = prior
            } else if prior.pointee.isKept {
                prior.pointee.older = dropped
                dropped = prior
            }
            newerVersion = version
        }
        stripe.release()
        while let prior = dropped {
            dropped = prior.pointee.older
            _ = log.append(prior.move())
            prior.deallocate()
        }
    }

    /// Passes each kept prior version to a closure that takes its value, and frees it.
    func dropAllPriorVersions(
        in segments: SegmentList<Value>,
        _ take: (PriorVersion<Value>.Pointer) -> Void
    ) {
        for entry in unreclaimed {
            var next = segments[entry].pointee.prior
            while let prior = next {
                next = prior.pointee.older
                take(prior)
                prior.deallocate()
            }
        }
    }
}

/// The steps of a commit for single entries of a written table, as closures.
///
/// A commit accesses the tables through `any AnyTable`, where code that is generic over the value's
/// type would run unspecialized, several times slower. These closures are compiled in the client's
/// module, where a table is first requested, for the one type that the client uses there.
@usableFromInline
struct CommitSteps<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    @usableFromInline let change:
        @Sendable (Table<Value>, EntryID, Set<CacheKey>, UInt64) -> AnyEvent
    @usableFromInline let deinitializePriorVersions: PriorVersionMemory.Deinitializer
    @usableFromInline let entry: @Sendable (Table<Value>, CacheKey) -> EntryID?

    @inlinable
    init() {
        change = { table, entry, causes, version in
            EventBox(table.entityChange(of: entry, causes: causes, version: version))
        }
        deinitializePriorVersions = { start, count in
            let first = start.assumingMemoryBound(to: PriorVersion<Value>.self)
            // One by one: the run-time function for several isn't specialized.
            for index in 0..<count { (first + index).deinitialize(count: 1) }
        }
        entry = { table, key in table.entryID(of: key) }
    }
}
