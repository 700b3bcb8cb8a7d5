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
        if let limits, limits.state.listsEntries,
            limits.policy.differsOnlyInCount(from: policy)
        {
            limits.policy = policy
            limits.state.limit = policy.limit.limit
            return shareMarks()
        }
        // Values that are stale by the previous policy stay stale.
        replaceLimits(makeLimits(policy, timeline, wakeTime, isTimed: isTimed), in: writer)
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
            // The records of a segment are exchanged last, so that readers never find a stale value
            // fresh.
            let records = limits.state.isTimed ? segment.makeRecords() : nil
            segment.forEachSlot { slot in
                let entryID = segment.id(ofSlot: slot)
                guard let value = self[entryID].pointee.value else { return }
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
        let own = limits.state.rules.hasOwnTimes ? ownTimes(of: value, limits, writer) : .none
        _ = limits.state.recordStored(
            entryID,
            cost: limits.cost.map { cost(of: value, $0, writer) } ?? 1,
            at: now,
            own
        )
        withMarks(of: entryID) { marks, slot in marks.recordArrival(slot) }
        return StoredTimes(
            stored: now,
            staleFrom: limits.state.rules.staleTime(storedAt: now, own)
        )
    }

    /// Returns the record of an entry, or `nil` if its previous limits have none.
    private func formerRecord(
        of entryID: EntryID,
        _ former: TableLimits<Value>
    ) -> FreshnessRecord? {
        guard !former.state.listsEntries || former.state.contains(entryID) else { return nil }
        return record(of: entryID, former)
    }

    /// Makes an entry, which was stale by the previous limits, stale by the new ones.
    private func keepStaleness(
        of entryID: EntryID,
        _ record: FreshnessRecord,
        former: TableLimits<Value>?,
        _ limits: TableLimits<Value>,
        in new: inout FreshnessRecord
    ) {
        let version = self[entryID].pointee.version
        let isMarked = record.isMarkedStale(stored: version, readAt: .max)
        // A value that is stale by its previous lifetime stays stale, also for open snapshots.
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

    func makeLimits(
        _ policy: EvictionPolicy<Value>,
        _ timeline: any Timeline,
        _ wakeTime: WakeTime,
        isTimed: Bool
    ) -> TableLimits<Value> {
        TableLimits(
            policy,
            timeline: timeline,
            wakeTime: wakeTime,
            isTimed: isTimed
        )
    }

    /// Makes the table record the freshness of its values, of which no rule is known.
    ///
    /// The present values need no records: the times at which they were stored are unknown.
    func beginToRecordFreshness(_ timeline: any Timeline, _ wakeTime: WakeTime) {
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
        limits = makeLimits(policy, timeline, wakeTime, isTimed: false)
        shareMarks()
    }

    // MARK: Marks

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

    private func setTick(_ tick: Int) {
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

    // MARK: Stored values

    @inlinable
    func recordWrittenEntries(in writer: Writer) {
        guard let limits else { return }
        let now = limits.now
        if now >= limits.state.ticks.nextTime { setTick(limits, at: now) }
        resolvePending()
        for (index, entryID) in pending.enumerated() {
            if let value = self[entryID].pointee.value {
                if index < restoredTimes.count, let times = restoredTimes[index] {
                    recordRestored(value, in: entryID, times, limits, writer)
                    continue
                }
                recordStored(value, in: entryID, at: now, limits, writer)
            } else {
                limits.state.forget(entryID)
            }
        }
        if limits.state.isTimed { offerNextWakeTime(limits) }
    }

    @usableFromInline
    func offerNextWakeTime(_ limits: TableLimits<Value>) {
        limits.wakeTime.offer(limits.state.nextWakeTime)
    }

    /// Returns the times of a value that is about to be exchanged in place, or `nil` if values
    /// neither expire nor become stale.
    @inlinable @inline(__always)
    func timesToRecord(of value: Value, _ writer: Writer) -> ExchangeTimes? {
        guard let limits, limits.state.isTimed else { return nil }
        let own = limits.state.rules.hasOwnTimes ? ownTimes(of: value, limits, writer) : .none
        let now = limits.now
        let times = StoredTimes(
            stored: now,
            staleFrom: limits.state.rules.staleTime(storedAt: now, own)
        )
        return ExchangeTimes(
            times: times,
            own: own,
            isComplete: limits.state.hasRecordedDeadlines && now < limits.state.ticks.nextTime
        )
    }

    /// Updates the limits after the stored value was stored again with an equal one.
    @usableFromInline
    func recordStoredAgain(
        _ value: Value,
        in entry: Segment<Value>.Pointer,
        _ writer: Writer
    ) {
        guard limits != nil else { return }
        if let times = timesToRecord(of: value, writer) {
            return recordExchange(value, in: entry, times, in: writer)
        }
        withMarks(of: id(of: entry)) { marks, slot in marks.recordAccess(slot) }
    }

    /// Updates the limits after a value was exchanged in place, or an equal one was stored.
    @usableFromInline
    func recordExchange(
        _ value: Value,
        in entry: Segment<Value>.Pointer,
        _ times: ExchangeTimes,
        in writer: Writer
    ) {
        guard let limits else { return }
        setTick(limits, at: times.times.stored)
        recordStored(value, in: id(of: entry), times.times, times.own, limits, writer)
        offerNextWakeTime(limits)
    }

    /// Returns whether a new value can be exchanged in place, for a table with limits or one of
    /// lists or aliases.
    ///
    /// The exchange must neither evict a value, nor make a stale value fresh, nor change pins.
    @inlinable @inline(__always)
    func exchangesInPlace(_ entry: Segment<Value>.Pointer) -> Bool {
        // The commit counts the pins of lists and aliases.
        guard let limits, traits.pinnedKeys == nil else { return false }
        guard limits.state.hasUniformCosts, !limits.state.exceedsLimit || isExcessHeld(limits)
        else { return false }
        return !limits.state.isTimed || !isMarkedStale(entry, limits)
    }

    @inlinable
    func recordStored(
        _ value: Value,
        in entryID: EntryID,
        at now: Time,
        _ limits: TableLimits<Value>,
        _ writer: Writer
    ) {
        let own = limits.state.rules.hasOwnTimes ? ownTimes(of: value, limits, writer) : .none
        let times = StoredTimes(
            stored: now,
            staleFrom: limits.state.rules.staleTime(storedAt: now, own)
        )
        recordStored(value, in: entryID, times, own, limits, writer)
    }

    /// Records a value that a participant has restored.
    @usableFromInline
    func recordRestored(
        _ value: Value,
        in entryID: EntryID,
        _ times: StoredTimes,
        _ limits: TableLimits<Value>,
        _ writer: Writer
    ) {
        let own = limits.state.rules.hasOwnTimes ? ownTimes(of: value, limits, writer) : .none
        let staleFrom = limits.state.rules.staleTime(storedAt: times.stored, own)
        let all = StoredTimes(stored: times.stored, staleFrom: min(staleFrom, times.staleFrom))
        recordStored(value, in: entryID, all, own, limits, writer)
    }

    @inlinable
    func recordStored(
        _ value: Value,
        in entryID: EntryID,
        _ times: StoredTimes,
        _ own: LifetimeRules.OwnTimes,
        _ limits: TableLimits<Value>,
        _ writer: Writer
    ) {
        let isNew = limits.state.recordStored(
            entryID,
            cost: limits.cost.map { cost(of: value, $0, writer) } ?? 1,
            at: times.stored,
            own
        )
        let segment = segments.segment(of: entryID)
        let stripe = stripe(ofSegment: entryID.segment)
        if limits.state.isTimed { ensureRecords(of: segment, in: stripe) }
        withMarks(of: entryID) { marks, slot in
            if isNew { marks.recordArrival(slot) } else { marks.recordStored(slot) }
            segment.header.pointee.records?[slot].recordStored(times)
        }
    }

    @usableFromInline
    func ownTimes(
        of value: Value,
        _ limits: TableLimits<Value>,
        _ writer: Writer
    ) -> LifetimeRules.OwnTimes {
        LifetimeRules.OwnTimes(
            stale: limits.staleTime.flatMap { time in
                writer.runUserCode("the time of staleness", of: Value.self) { time(value) }
            },
            expiration: limits.expirationTime.flatMap { time in
                writer.runUserCode("the expiration", of: Value.self) { time(value) }
            }
        )
    }

    @inlinable
    func cost(of value: Value, _ cost: (Value) -> Int, _ writer: Writer) -> Int {
        let found = writer.runUserCode("the cost", of: Value.self) { cost(value) }
        precondition(
            found >= 0,
            "\(CacheKey(value)) cannot cost \(found): return zero or more from the function of .cost."
        )
        return found
    }
}
