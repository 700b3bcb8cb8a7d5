extension Table {
    // MARK: Reading, on any thread

    /// Returns the freshness of an entity.
    ///
    /// Any thread can call this method.
    ///
    /// - Parameters:
    ///   - version: The version of an open snapshot, or `nil` for the latest visible commit.
    ///   - now: The time with which the value's lifetime is compared. It's asked for after the
    ///     value has been found, and only if its freshness is recorded.
    @usableFromInline
    func freshness(of id: Value.ID, at version: UInt64?, now: () -> Time) -> Freshness {
        guard let (stored, record) = storedVersion(of: id, at: version) else { return .missing }
        guard let record else { return .fresh(since: nil) }
        // The log forgets old invalidations. It knows those that an open snapshot sees, and the one
        // that is visible now.
        let (invalidation, readVersion) = invalidations.withLock { log in
            let readVersion = version ?? clock.visibleVersion
            return (log.staleTime(stored: stored, readAt: readVersion), readVersion)
        }
        if invalidation != nil, version == nil, storedVersion(of: id)?.version != stored {
            // The commit that invalidated the type has also stored the entity again or removed it.
            return freshness(of: id, at: nil, now: now)
        }
        let time = record.staleTime(stored: stored, readAt: readVersion, at: now())
        if let since = [invalidation, time].compactMap({ $0 }).min() {
            return .stale(since: CacheInstant(since))
        }
        return .fresh(since: record.stored == .min ? nil : CacheInstant(record.stored))
    }

    /// Returns the version of the commit that stored an entity's value, and the value's freshness
    /// record if there is one.
    ///
    /// Any thread can call this method.
    ///
    /// - Parameter version: The version of an open snapshot, or `nil` for the latest commit.
    func storedVersion(
        of id: Value.ID,
        at version: UInt64? = nil
    ) -> (version: UInt64, record: FreshnessRecord?)? {
        let hash = hash(of: id)
        let stripe = stripe(of: hash)
        stripe.acquire()
        defer { stripe.release() }
        let state = stripe.state.pointee
        let version = version ?? clock.visibleVersion
        let segment = state.segment(of: hash)
        guard let slot = segment.slot(of: id, hash: hash),
            let stored = (segment.entries + slot).pointee.storedVersion(at: version)
        else { return nil }
        return (stored, state.recordsFreshness ? segment.record(of: slot, at: version) : nil)
    }

    /// Returns whether an entity's latest visible value was stale already when it was stored.
    func wasStoredStale(_ id: Value.ID) -> Bool {
        guard let (version, record) = storedVersion(of: id) else { return false }
        return record?.wasStale(stored: version) ?? false
    }

    // MARK: Writing, under the writers' lock

    /// Returns the freshness of an entity, with the writes of the open transaction so far.
    @usableFromInline
    func writtenFreshness(of id: Value.ID, in writer: Writer, now: () -> Time) -> Freshness {
        guard let entryID = entryID(id: id, hash: hash(of: id)), hasValue(entryID) else {
            return .missing
        }
        let isWritten = self[entryID].pointee.version > writer.committedVersion
        if becomesStale(entryID, in: writer) {
            let committed = isWritten ? .missing : freshness(of: id, at: nil, now: now)
            return committed.isStale ? committed : .stale(since: CacheInstant(now()))
        }
        if isWrittenByLayersAlone(entryID) {
            let committed = freshness(of: id, at: nil, now: now)
            return committed.isMissing ? .fresh(since: nil) : committed
        }
        if !isWritten { return freshness(of: id, at: nil, now: now) }
        return .fresh(since: isTimed ? CacheInstant(now()) : nil)
    }

    /// Returns the freshness record of an entry, or `nil` if its limits have none.
    func record(of entryID: EntryID, _ limits: TableLimits<Value>) -> FreshnessRecord? {
        guard limits.state.isTimed else { return nil }
        return segments.segment(of: entryID).record(of: Int(entryID.slot))
    }

    /// Changes the freshness record of an entry, if its limits have one, under the stripe's lock.
    func withRecord(
        of entryID: EntryID,
        _ limits: TableLimits<Value>,
        _ body: (inout FreshnessRecord) -> Void
    ) {
        guard limits.state.isTimed else { return }
        let stripe = stripe(ofSegment: entryID.segment)
        let records = ensureRecords(of: segments.segment(of: entryID), in: stripe)
        stripe.acquire()
        defer { stripe.release() }
        body(&records[Int(entryID.slot)])
    }

    @discardableResult
    @inlinable
    func ensureRecords(
        of segment: Segment<Value>,
        in stripe: Stripe<Value>
    ) -> UnsafeMutablePointer<FreshnessRecord> {
        if let records = segment.header.pointee.records { return records }
        let records = segment.makeRecords()
        replaceRecords(of: segment, in: stripe, with: records)
        return records
    }

    @usableFromInline
    func replaceRecords(
        of segment: Segment<Value>,
        in stripe: Stripe<Value>,
        with records: UnsafeMutablePointer<FreshnessRecord>?
    ) {
        let former = segment.header.pointee.records
        stripe.acquire()
        segment.header.pointee.records = records
        stripe.release()
        former?.deallocate()
    }

    /// Returns whether a commit has made an entry's value stale.
    @usableFromInline
    func isMarkedStale(_ entry: Segment<Value>.Pointer, _ limits: TableLimits<Value>) -> Bool {
        let version = entry.pointee.version
        if version < latestInvalidation { return true }
        return record(of: id(of: entry), limits)?.isMarkedStale(stored: version, readAt: .max)
            ?? false
    }

    /// Returns whether a value that the open transaction replaces is stale.
    @usableFromInline
    func isStale(_ prior: PriorVersion<Value>.Pointer, _ limits: TableLimits<Value>) -> Bool {
        guard limits.state.isTimed else { return false }
        if prior.pointee.version < latestInvalidation { return true }
        let time = prior.pointee.freshness.staleTime(
            stored: prior.pointee.version,
            readAt: .max,
            at: limits.now
        )
        return time != nil
    }

    /// The entries with or without values, in no particular order.
    @usableFromInline var occupiedEntries: [EntryID] {
        var entries: [EntryID] = []
        forEachEntry { entryID, _ in entries.append(entryID) }
        return entries
    }

    /// Returns whether the open transaction makes the whole type stale and has written to an entry
    /// since.
    @usableFromInline
    func isRenewed(_ entryID: EntryID) -> Bool {
        staleness.includesAll && !staleness.contains(entryID)
    }

    @usableFromInline
    func makeStale(_ entryID: EntryID, in writer: Writer) {
        if tracksWholeValues {
            recordIncoming(.invalidation, of: self[entryID].pointee.id, in: writer)
        }
        staleness.insert(entryID, in: writer.writeVersion)
        if !isRecordedAsWritten { recordWrite(in: writer) }
    }

    func makeAllStale(in writer: Writer) {
        resolvePending()
        for entryID in pending where hasValue(entryID) { makeStale(entryID, in: writer) }
        staleness.insertAll(in: writer.writeVersion)
        if !isRecordedAsWritten { recordWrite(in: writer) }
    }

    /// Returns whether the open transaction makes an entry stale, as far as it's known.
    func becomesStale(_ entryID: EntryID, in writer: Writer) -> Bool {
        if staleness.isEmpty { return false }
        let isWritten = self[entryID].pointee.version > writer.committedVersion
        return staleness.contains(entryID) || staleness.includesAll && !isWritten
    }

    // MARK: Committing

    /// Determines the entries whose observers learn that they become stale, before the values of
    /// the open transaction are recorded.
    func resolveStaleness(watched: () -> [EntryID], in writer: Writer) {
        let version = writer.writeVersion
        staleness.filter { entryID in
            guard hasValue(entryID) || isCovered(entryID) else { return false }
            // A value of the open transaction is fresh so far, unless layers alone have written it.
            let isStored = self[entryID].pointee.version == version
            return isStored && !isWrittenByLayersAlone(entryID)
                || !wasStale(entryID, before: version)
        }
        addStaleness(to: isObservedAsAWhole ? occupiedEntries : watched(), version: version)
    }

    /// Adds entries to those whose observers learn that they become stale with the whole type.
    func addStaleness(to entries: [EntryID], version: UInt64) {
        guard staleness.includesAll else { return }
        for entryID in entries
        where hasValue(entryID) && self[entryID].pointee.version < version
            && !wasStale(entryID, before: version) && !isInLayersAlone(entryID)
        {
            staleness.insert(entryID, in: version)
        }
    }

    private func wasStale(_ entryID: EntryID, before version: UInt64) -> Bool {
        let entry = self[entryID]
        let stored =
            isWrittenByLayersAlone(entryID) && entry.pointee.version == version
            ? entry.pointee.prior?.pointee.version ?? 0 : entry.pointee.version
        if let limits, let record = record(of: entryID, limits),
            record.isMarkedStale(stored: stored, readAt: version - 1)
        {
            return true
        }
        guard stored < latestInvalidation else { return false }
        let time = invalidations.withLock { $0.staleTime(stored: stored, readAt: version - 1) }
        return time != nil
    }

    /// Makes values stale as of a version that is about to become visible.
    func publishStaleness(_ version: UInt64) {
        guard let limits else { return }
        if layers != nil { keepStaleness(version, limits) }
        if staleness.isEmpty { return }
        let now = limits.now
        for entryID in staleness.entries {
            withRecord(of: entryID, limits) { $0.markStale(at: now, version: version) }
        }
        if staleness.includesAll {
            invalidations.withLock {
                $0.append(version, at: now, snapshots: { clock.openSnapshotVersions })
            }
            latestInvalidation = version
        }
    }

    /// Marks stale values as of the version in which layers alone have changed them.
    private func keepStaleness(_ version: UInt64, _ limits: TableLimits<Value>) {
        resolvePending()
        for entryID in pending where isWrittenByLayersAlone(entryID) {
            guard let prior = self[entryID].pointee.prior else { continue }
            let (stored, record) = (prior.pointee.version, prior.pointee.freshness)
            let isMarked = record.isMarkedStale(stored: stored, readAt: .max)
            guard isMarked || stored < latestInvalidation else { continue }
            let invalidation = invalidations.withLock {
                $0.staleTime(stored: stored, readAt: .max)
            }
            withRecord(of: entryID, limits) {
                $0.staleVersion = version
                $0.staleTime = min(isMarked ? record.staleTime : .max, invalidation ?? .max)
            }
        }
    }

    var makesValuesStale: Bool { !staleness.isEmpty }

    var makesAllStale: Bool { staleness.includesAll }
}
