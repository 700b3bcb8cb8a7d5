// The limits of a table, under the writers' lock.
extension Table {
    var hasLimits: Bool { limits != nil }

    /// Applies an eviction policy to the table.
    ///
    /// - Complexity: O(*n*) in the number of entries; O(1) if only the count of the limit changes.
    func limit(
        _ policy: EvictionPolicy<Value>,
        _ timeline: any Timeline,
        _ wakeTime: WakeTime,
        in writer: Writer
    ) {
        checkOwner(for: policy)
        if let limits, limits.state.listsEntries,
            limits.policy.differsOnlyInCount(from: policy)
        {
            limits.policy = policy
            limits.state.limit = policy.limit.limit
            return shareMarks()
        }
        // Values that are stale by the previous policy remain stale.
        replaceLimits(
            TableLimits(policy, timeline: timeline, wakeTime: wakeTime, isTimed: isTimed),
            in: writer
        )
    }

    /// Replaces the limits, and records the stored values in the new ones.
    ///
    /// - Complexity: O(*n*) in the number of entries.
    func replaceLimits(_ limits: TableLimits<Value>, in writer: Writer) {
        let former = self.limits
        let now = limits.now
        // Without rules, the time at which a value was stored isn't known.
        let unknownTime = limits.state.rules.isTimed ? now : .min
        self.limits = limits
        setTick(0)
        forEachSegment { stripe, segment in
            // The records of a segment are replaced last, so that readers never find a stale value
            // fresh.
            let records = limits.state.isTimed ? segment.makeRecords() : nil
            segment.forEachSlot { slot in
                let entryID = segment.id(ofSlot: slot)
                // A hidden value counts, and one that only layers have doesn't.
                guard let value = confirmedValue(of: entryID) else { return }
                let record = former.flatMap { formerRecord(of: entryID, $0) }
                let known = record.flatMap { $0.stored == .min ? nil : $0.stored }
                let time = known ?? unknownTime
                let times = recordArrival(of: value, in: entryID, at: time, limits, writer)
                var new = FreshnessRecord()
                new.recordStored(times)
                if let record {
                    keepStaleness(of: entryID, record, former: former, limits, in: &new)
                }
                records?[slot] = new
            }
            replaceRecords(of: segment, in: stripe, with: records)
        }
        limits.state.enqueueArrivals()
        renewWholeTimes(limits)
        limits.wakeTime.offer(nextWakeTime)
        shareMarks()
    }

    /// Records a present value in new limits; returns the times of the value.
    private func recordArrival(
        of value: Value,
        in entryID: EntryID,
        at now: Time,
        _ limits: TableLimits<Value>,
        _ writer: Writer
    ) -> StoredTimes {
        let (times, own) = times(of: value, storedAt: now, limits, writer)
        _ = limits.state.recordStored(
            entryID,
            cost: limits.cost.map { cost(of: value, $0, writer) } ?? 1,
            at: now,
            own
        )
        withMarks(of: entryID) { marks, slot in marks.recordArrival(slot) }
        return times
    }

    /// Returns the record of an entry, or `nil` if its previous limits have none.
    private func formerRecord(
        of entryID: EntryID,
        _ former: TableLimits<Value>
    ) -> FreshnessRecord? {
        guard !former.state.listsEntries || former.state.contains(entryID) else { return nil }
        return record(of: entryID, former)
    }

    /// Makes an entry that was stale by the previous limits stale by the new ones.
    private func keepStaleness(
        of entryID: EntryID,
        _ record: FreshnessRecord,
        former: TableLimits<Value>?,
        _ limits: TableLimits<Value>,
        in new: inout FreshnessRecord
    ) {
        let version = self[entryID].pointee.version
        let isMarked = record.isMarkedStale(stored: version, readAt: .max)
        // A value that is stale by its previous lifetime remains stale, also for open snapshots.
        if record.staleFrom <= limits.now {
            new.staleFrom = min(new.staleFrom, record.staleFrom)
        }
        if isMarked || version < latestInvalidation {
            new.staleVersion = isMarked ? record.staleVersion : latestInvalidation
            // A value of an invalidated type can have been stale before, by its lifetime.
            new.staleTime =
                record.staleTime(stored: version, readAt: .max, at: limits.now) ?? .max
        }
        guard former?.state.isExpired(entryID) ?? false else { return }
        limits.state.keepExpired(entryID)
        if !isInUse(entryID) { recordUnused(entryID) }
    }

    /// Makes the table record the freshness of its values, unless it does already.
    ///
    /// The present values need no records: the times at which they were stored are unknown.
    func beginToRecordFreshness(_ timeline: any Timeline, _ wakeTime: WakeTime) {
        if isTimed { return }
        if let limits {
            limits.beginToRecordTimes()
            return shareMarks()
        }
        limits = TableLimits(
            EvictionPolicy(),
            timeline: timeline,
            wakeTime: wakeTime,
            isTimed: true,
            listsEntries: false
        )
        shareMarks()
    }

    /// Applies an eviction policy to an empty table that isn't in use yet.
    func beginLimiting(
        _ policy: EvictionPolicy<Value>,
        _ timeline: any Timeline,
        _ wakeTime: WakeTime
    ) {
        limits = TableLimits(policy, timeline: timeline, wakeTime: wakeTime, isTimed: false)
        shareMarks()
    }
}

// The marks of read and written values, by which a table with limits selects the values to evict.
//
// Everything here is called under the writers' lock.
extension Table {
    /// Makes readers use the marks and the records of the limits.
    func shareMarks() {
        for index in 0..<Stripes.count {
            let stripe = stripe(at: index)
            stripe.acquire()
            stripe.state.pointee.recordsReads = limits?.recordsReads ?? false
            stripe.state.pointee.recordsFreshness = isTimed
            stripe.release()
        }
    }

    @usableFromInline
    func setTick(_ limits: TableLimits<Value>, at now: Time) {
        if let tick = limits.state.ticks.begin(at: now) { setTick(tick) }
    }

    func setTick(_ tick: Int) {
        for index in 0..<Stripes.count {
            let stripe = stripe(at: index)
            stripe.acquire()
            stripe.state.pointee.accessMark = EvictionMarks.accessMark(inTick: tick)
            stripe.release()
        }
    }

    /// Runs a closure with the marks of an entry's segment and the entry's slot, under the stripe's
    /// lock.
    @inlinable @inline(__always)
    func withMarks<Result>(of entryID: EntryID, _ body: (EvictionMarks, Int) -> Result) -> Result {
        let segment = segments.segment(of: entryID)
        let stripe = stripe(ofSegment: entryID.segment)
        stripe.acquire()
        defer { stripe.release() }
        return body(stripe.marks(of: segment), Int(entryID.slot))
    }
}

// The use of a table's entities, under the writers' lock.
extension Table {
    /// Returns whether an entry must not be evicted, because it is watched, pinned, or not written
    /// yet by the participant that writes its changes.
    @inlinable
    func isInUse(_ entryID: EntryID) -> Bool { node(of: entryID) != .none || isPinned(entryID) }

    @inlinable
    func isPinned(_ entryID: EntryID, byTokensOnly: Bool = false) -> Bool {
        if let journal, journal.holds(entryID) { return true }
        if isGuarded, isCovered(self[entryID]) { return true }
        if pins.isEmpty, namePins.isEmpty { return false }
        let id = self[entryID].pointee.id
        return pins[id] != nil || !byTokensOnly && namePins[id] != nil
    }

    func pin(_ id: Value.ID) { pins[id] = (pins[id] ?? 0) + 1 }

    func unpin(_ id: Value.ID) {
        guard let count = pins[id] else { return }
        pins[id] = count == 1 ? nil : count - 1
        if count == 1 { recordUnused(id) }
    }

    /// Returns the entities that the open transaction has pinned and unpinned, if the table stores
    /// lists or aliases.
    func pinChanges() -> [(key: CacheKey, difference: Int)] {
        guard let pinnedKeys = traits.pinnedKeys else { return [] }
        resolvePending()
        return pending.flatMap { entryID in
            let entry = self[entryID]
            let old = entry.pointee.prior?.pointee.value.map(pinnedKeys) ?? []
            let new = entry.pointee.value.map(pinnedKeys) ?? []
            return old.subtracting(new).map { ($0, -1) } + new.subtracting(old).map { ($0, 1) }
        }
    }

    func allPinned() -> [CacheKey] {
        guard let pinnedKeys = traits.pinnedKeys else { return [] }
        var keys: [CacheKey] = []
        forEachWrittenValue { keys.append(contentsOf: pinnedKeys($1)) }
        return keys
    }

    func adjustPins(of key: CacheKey, by difference: Int) {
        guard let id: Value.ID = key.identifier.typed() else { return }
        let count = (namePins[id] ?? 0) + difference
        namePins[id] = count == 0 ? nil : count
        if count == 0 { recordUnused(id) }
    }

    /// Updates the limits for an entity that is no longer in use.
    func recordUnused(_ id: Value.ID) {
        guard isTimed, let entryID = self.entryID(id: id, hash: hash(of: id)) else { return }
        recordUnused(entryID)
    }

    func recordUnused(_ entryID: EntryID) {
        guard let limits else { return }
        guard let record = recordOfDeadlines(of: entryID, limits)?.record else { return }
        let isStale = isMarkedStale(self[entryID], limits)
        if limits.state.recordUnused(entryID, record, isStale: isStale, at: limits.timeline.now) {
            limits.wakeTime.offer(.min)
        }
    }
}
