// Everything here is called under the writers' lock.
extension Table {
    func mergeInnermostSavepoint(of writer: Writer) {
        staleness.merge(writer.writeVersion)
        let outer = writer.writeVersion - 1
        var start = pending.count
        while start > 0, self[pending[start - 1]].pointee.version == writer.writeVersion {
            start -= 1
        }
        var kept = start
        for index in start..<pending.count {
            let entry = self[pending[index]]
            let prior = entry.pointee.prior
            let outerWrite = prior?.version == outer ? prior : nil
            let stripe = stripe(of: entry.pointee.hash)
            stripe.acquire()
            entry.pointee.version = outer
            if let outerWrite { entry.pointee.prior = outerWrite.older }
            stripe.release()
            if let outerWrite {
                // The list already contains the entry, for the outer savepoint.
                writer.releaseLater(outerWrite)
            } else {
                pending[kept] = pending[index]
                kept += 1
            }
        }
        pending.removeSubrange(kept...)
    }

    func rollBackInnermostSavepoint(of writer: Writer) {
        staleness.rollBack(writer.writeVersion)
        while let entry = pending.last, self[entry].pointee.version == writer.writeVersion {
            pending.removeLast()
            restore(entry, in: writer)
        }
    }

    func discardUnchanged(in writer: Writer) -> Int {
        steps.discardUnchanged(self, writer) + staleness.count
    }

    @inlinable
    func discardUnchangedEntries(in writer: Writer) -> Int {
        // An entry is unchanged only if its value equals the previous one, or if it was added and
        // removed.
        if traits.isEqual == nil, !hasWrittenRemovals { return pending.count }
        var changed = 0
        for index in pending.indices {
            let entry = pending[index]
            if isUnchanged(entry, in: writer) {
                restore(entry, in: writer)
            } else {
                if changed < index { pending[changed] = entry }
                changed += 1
            }
        }
        if changed < pending.count { pending.removeSubrange(changed...) }
        return changed
    }

    @inlinable
    func isUnchanged(_ entryID: EntryID, in writer: Writer) -> Bool {
        let entry = self[entryID]
        guard let prior = entry.pointee.prior, prior.value != nil else {
            return entry.pointee.value == nil
        }
        guard traits.isEqual != nil, let old = prior.value, let new = entry.pointee.value else {
            return false
        }
        // A stale value that is stored again becomes fresh, and its observers are notified of that.
        if let limits, isStale(prior, limits) { return false }
        // The whole type becomes stale, except values that are stored later, such as this one.
        if !staleness.isEmpty, isRenewed(entryID) { return false }
        return writer.areEqual(old, new, traits)
    }

    /// Undoes the newest write to an entry.
    @usableFromInline
    func restore(_ entryID: EntryID, in writer: Writer) {
        let entry = self[entryID]
        let previous = entry.pointee.prior
        let undone = PriorVersion(
            value: entry.pointee.value,
            version: entry.pointee.version,
            older: nil
        )
        countDifference +=
            (previous?.value == nil ? 0 : 1) - (entry.pointee.value == nil ? 0 : 1)
        let stripe = stripe(of: entry.pointee.hash)
        stripe.acquire()
        entry.pointee.value = previous?.value
        // An entry that was new gets the version zero: its version must not be equal to the next
        // transaction's.
        entry.pointee.version = previous?.version ?? 0
        entry.pointee.prior = previous?.older
        stripe.release()
        writer.releaseLater(undone)
        if !removalReasons.isEmpty { removalReasons[entryID] = nil }
        if previous == nil { detach(entryID, in: writer) }
    }

    func prepareToPublish(_ version: UInt64) {
        publishStaleness(version)
        guard countDifference != 0 else { return }
        committedCount.withLock { $0.add(countDifference, at: version) }
        hasCountHistory = true
        countDifference = 0
    }

    func reclaim(in writer: Writer) { steps.reclaimPending(self, writer) }

    @inlinable
    func reclaimPendingEntries(in writer: Writer) {
        guard !clock.hasOpenSnapshots, unreclaimed.isEmpty else {
            return reclaimForSnapshots(in: writer)
        }
        if pending.count == 1 {
            reclaimSinglePending(in: writer)
        } else {
            reclaimAllPending(in: writer)
        }
        endReclaiming(keeping: [], in: writer)
    }

    @inlinable
    func reclaimSinglePending(in writer: Writer) {
        let entryID = pending[0]
        pending.removeAll(keepingCapacity: true)
        let entry = self[entryID]
        var prior: PriorVersion<Value>?
        let stripe = stripe(of: entry.pointee.hash)
        stripe.acquire()
        swap(&prior, &entry.pointee.prior)
        let isEmptied = entry.pointee.value == nil
        stripe.release()
        if let prior { writer.releaseLater(prior) }
        if isEmptied { detach(entryID, in: writer) }
    }

    @inlinable
    func reclaimAllPending(in writer: Writer) {
        var emptied: [EntryID] = []
        // Released in the order of their allocation, which is mostly their order in memory.
        var released = [PriorVersion<Value>?](repeating: nil, count: pending.count)
        let order = pending.count > Self.entriesAtATime ? pendingByStripe() : nil
        var start = 0
        while start < pending.count {
            let stripe = stripe(of: self[pending[order?[start] ?? start]].pointee.hash)
            stripe.acquire()
            var end = start
            while end < pending.count, end &- start < Self.entriesAtATime {
                let index = order?[end] ?? end
                let entry = self[pending[index]]
                if self.stripe(of: entry.pointee.hash) != stripe { break }
                swap(&released[index], &entry.pointee.prior)
                if entry.pointee.value == nil { emptied.append(pending[index]) }
                end &+= 1
            }
            stripe.release()
            start = end
        }
        writer.releaseLater(released)
        pending.removeAll(keepingCapacity: pending.capacity <= Self.keptPendingCapacity)
        for entry in emptied { detach(entry, in: writer) }
    }

    /// The number of entries of a stripe that are reclaimed under its lock at a time.
    ///
    /// The number is so small that readers hardly wait, and large enough that the processor
    /// overlaps several memory accesses. It doesn't across the acquisition of a lock.
    @inlinable static var entriesAtATime: Int { 4 }

    /// Returns the positions of the pending entries, in the order of their stripes.
    ///
    /// The algorithm is distribution counting (Knuth, volume 3, section 5.2, algorithm D).
    @usableFromInline
    func pendingByStripe() -> [Int] {
        let capacity = block.capacity
        var positions = [Int](repeating: 0, count: Stripes.count + 1)
        for entry in pending { positions[Int(entry.slot) / capacity + 1] += 1 }
        for index in 1...Stripes.count { positions[index] += positions[index - 1] }
        var sorted = [Int](repeating: 0, count: pending.count)
        for (index, entry) in pending.enumerated() {
            let stripe = Int(entry.slot) / capacity
            sorted[positions[stripe]] = index
            positions[stripe] += 1
        }
        return sorted
    }

    /// The capacity for pending entries that is kept between commits.
    @inlinable static var keptPendingCapacity: Int { 64 }

    /// Reclaims entries while snapshots are open, and entries that kept data for snapshots.
    @usableFromInline
    func reclaimForSnapshots(in writer: Writer) {
        let hasOpenSnapshots = clock.hasOpenSnapshots
        let readVersions = hasOpenSnapshots ? clock.openSnapshotVersions : []
        var entries = Set(pending)
        pending = []
        // Entries that an open snapshot keeps unreclaimed wait until no snapshot is open, or until
        // there are so many that examining all of them costs little for each.
        let visitsRetainedEntries = !hasOpenSnapshots || unreclaimed.count >= unreclaimedLimit
        if visitsRetainedEntries {
            entries.formUnion(unreclaimed)
            unreclaimed = []
        }
        for entry in entries { reclaim(entry, keeping: readVersions, in: writer) }
        if visitsRetainedEntries {
            unreclaimedLimit = max(Self.leastUnreclaimedLimit, unreclaimed.count * 2)
        }
        endReclaiming(keeping: readVersions, in: writer)
    }

    @usableFromInline
    func endReclaiming(keeping readVersions: [UInt64], in writer: Writer) {
        hasWrittenRemovals = false
        if !staleness.isEmpty { staleness = PendingStaleness() }
        if !removalReasons.isEmpty { removalReasons = [:] }
        if hasUnreclaimed {
            committedCount.withLock { count in
                count.reclaim(keeping: readVersions)
                hasCountHistory = count.holdsPriorCounts
            }
            if hasUnreclaimed { clock.hasUnreclaimedTables = true }
        }
        compactIfSparse(in: writer)
    }

    var hasUnreclaimed: Bool { !unreclaimed.isEmpty || hasCountHistory }

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
            unreclaimed.insert(entryID)
        } else if entry.pointee.value == nil {
            detach(entryID, in: writer)
        }
    }

    private func dropPriorVersions(
        of entry: Region<Value>.Pointer,
        keeping readVersions: [UInt64],
        in writer: Writer
    ) {
        let stripe = stripe(of: entry.pointee.hash)
        stripe.acquire()
        defer { stripe.release() }
        var newerVersion = entry.pointee.version
        var next = entry.pointee.prior
        var lastKept: PriorVersion<Value>?
        entry.pointee.prior = nil
        while let prior = next {
            next = prior.older
            prior.older = nil
            if readVersions.contains(where: { prior.version <= $0 && $0 < newerVersion }) {
                if let lastKept {
                    lastKept.older = prior
                } else {
                    entry.pointee.prior = prior
                }
                lastKept = prior
            } else {
                writer.releaseLater(prior)
            }
            newerVersion = prior.version
        }
    }
}
