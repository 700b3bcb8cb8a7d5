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
        let former = limits
        if let former, former.state.hasUniformCosts, policy.limit.cost == nil,
            former.expiration.isSame(as: policy.expiration)
        {
            former.state.limit = policy.limit.limit
            return
        }
        let hasStale = former?.state.hasStale ?? false
        let limits = makeLimits(policy, timeline, wakeTime, hasStale: hasStale)
        let now = limits.now
        self.limits = limits
        for index in 0..<Stripes.count {
            stripe(at: index).state.pointee.region.forEachSlot { slot in
                let entryID = EntryID(slot: UInt32(index * block.capacity + slot))
                guard let value = self[entryID].pointee.value else { return }
                let state = former.flatMap { formerState(of: entryID, $0) }
                recordStored(value, in: entryID, at: state?.since ?? now, limits, writer)
                if let state, let version = state.staleVersion {
                    keepStale(entryID, at: version, limits)
                }
            }
        }
        limits.state.enqueueArrivals()
        limits.wakeTime.offer(nextWakeTime)
        // The new marks are shared last, so that readers never find a stale value fresh. Until
        // then, readers use the former marks.
        shareMarks()
        withExtendedLifetime(former) {}
    }

    /// Returns the time when an entry was stored and the version since which it is stale, if it is,
    /// or `nil` if its former limits don't know them.
    private func formerState(
        of entryID: EntryID,
        _ former: TableLimits<Value>
    ) -> (since: Time, staleVersion: UInt64?)? {
        guard former.state.expires, former.state.contains(entryID) else { return nil }
        let isStale = former.state.isStale(entryID)
        return withMarks(of: entryID, former) { marks, slot in
            marks.since(of: slot).map { ($0, isStale ? marks.staleVersion(of: slot) : nil) }
        }
    }

    /// Makes an entry, which was stale by the former limits, stale by the new ones.
    private func keepStale(_ entryID: EntryID, at version: UInt64, _ limits: TableLimits<Value>) {
        limits.state.keepStale(entryID)
        withMarks(of: entryID, limits) { marks, slot in marks.setStale(slot, at: version) }
        if !isInUse(entryID) { recordUnused(entryID) }
    }

    private func makeLimits(
        _ policy: EvictionPolicy<Value>,
        _ timeline: any Timeline,
        _ wakeTime: WakeTime,
        hasStale: Bool
    ) -> TableLimits<Value> {
        TableLimits(
            policy,
            timeline: timeline,
            wakeTime: wakeTime,
            capacity: block.capacity,
            hasStale: hasStale
        )
    }

    /// Applies an eviction policy to an empty table that isn't in use yet.
    func beginLimiting(
        _ policy: EvictionPolicy<Value>,
        _ timeline: any Timeline,
        _ wakeTime: WakeTime
    ) {
        limits = makeLimits(policy, timeline, wakeTime, hasStale: false)
        shareMarks()
    }

    // MARK: Marks

    /// Makes readers record their reads in the marks of the limits.
    private func shareMarks() {
        for index in 0..<Stripes.count {
            let stripe = stripe(at: index)
            stripe.acquire()
            stripe.state.pointee.marks = limits?.block.marks(ofStripe: index).base
            stripe.release()
        }
    }

    @usableFromInline
    func setTick(_ limits: TableLimits<Value>, at now: Time) {
        guard let tick = limits.state.ticks.begin(at: now) else { return }
        for index in 0..<Stripes.count {
            let stripe = stripe(at: index)
            stripe.acquire()
            limits.block.marks(ofStripe: index).setTick(tick)
            stripe.release()
        }
    }

    /// Runs a closure with the marks of an entry's stripe and the entry's slot, under the stripe's
    /// lock.
    @inlinable @inline(__always)
    func withMarks<Result>(
        of entryID: EntryID,
        _ limits: TableLimits<Value>,
        _ body: (EvictionMarks, Int) -> Result
    ) -> Result {
        let (index, slot) = limits.block.place(of: entryID.slot)
        let stripe = stripe(at: index)
        stripe.acquire()
        defer { stripe.release() }
        return body(limits.block.marks(ofStripe: index), slot)
    }

    /// Moves the eviction state and the marks of the entries to their new slots.
    @usableFromInline
    func moveLimits(from old: EntryBlock<Value>, to capacity: Int) {
        guard let limits else { return }
        let new = EvictionMarkBlock(capacity: capacity, expires: limits.block.expires)
        for index in 0..<Stripes.count {
            let stripe = stripe(at: index)
            let oldMarks = limits.block.marks(ofStripe: index)
            let newMarks = new.marks(ofStripe: index)
            newMarks[capacity] = oldMarks.accessMark
            for slot in 0..<old.capacity where old.tags[index * old.capacity + slot].isOccupied {
                let entryID = EntryID(slot: UInt32(index * old.capacity + slot))
                let newSlot = new.place(of: old.newID(of: entryID).slot).slot
                stripe.acquire()
                newMarks.copy(newSlot, from: oldMarks, slot)
                stripe.release()
            }
        }
        limits.block = new
        limits.state.moveEntries(slotCount: Stripes.count * capacity) { old.newID(of: $0) }
    }

    // MARK: Stored values

    @inlinable
    func recordWrittenEntries(in writer: Writer) {
        guard let limits else { return }
        let now = limits.now
        if now >= limits.state.ticks.nextTime { setTick(limits, at: now) }
        for entryID in pending {
            if let value = self[entryID].pointee.value {
                recordStored(value, in: entryID, at: now, limits, writer)
            } else {
                limits.state.forget(entryID)
            }
        }
        if limits.state.expires { offerNextWakeTime(limits) }
    }

    @usableFromInline
    func offerNextWakeTime(_ limits: TableLimits<Value>) {
        limits.wakeTime.offer(limits.state.nextWakeTime)
    }

    /// The time that an exchange in place records, or `nil` if it records none or has more to do.
    @inlinable @inline(__always) var timeToMark: Time? {
        guard let limits, limits.state.hasMarkedDeadlines else { return nil }
        let now = limits.now
        return now >= limits.state.ticks.nextTime ? nil : now
    }

    /// Updates the limits after the stored value was stored again with an equal one.
    @usableFromInline
    func recordStoredAgain(
        _ value: Value,
        in entry: Region<Value>.Pointer,
        _ writer: Writer
    ) {
        guard let limits else { return }
        if limits.state.expires { return recordExchange(value, in: entry, in: writer) }
        withMarks(of: id(of: entry), limits) { marks, slot in marks.recordAccess(slot) }
    }

    /// Updates the limits after a value was exchanged in place, or an equal one was stored.
    @usableFromInline
    func recordExchange(_ value: Value, in entry: Region<Value>.Pointer, in writer: Writer) {
        guard let limits else { return }
        let now = limits.now
        setTick(limits, at: now)
        recordStored(value, in: id(of: entry), at: now, limits, writer)
        offerNextWakeTime(limits)
    }

    /// Returns whether a new value can be exchanged in place, for a table with limits or one of
    /// lists or aliases.
    ///
    /// The exchange must neither evict a value, nor make a stale value fresh, nor change pins.
    @inlinable @inline(__always)
    func exchangesInPlace(_ entry: Region<Value>.Pointer) -> Bool {
        // The commit counts the pins of lists and aliases.
        guard let limits, traits.pinnedKeys == nil else { return false }
        guard limits.state.hasUniformCosts, !limits.state.exceedsLimit else { return false }
        guard limits.state.hasStale else { return true }
        return !isStale(id(of: entry))
    }

    @inlinable
    func recordStored(
        _ value: Value,
        in entryID: EntryID,
        at now: Time,
        _ limits: TableLimits<Value>,
        _ writer: Writer
    ) {
        let isNew = limits.state.recordStored(
            entryID,
            cost: limits.cost.map { cost(of: value, $0, writer) } ?? 1,
            at: now,
            expiringAt: limits.expirationTime.flatMap { expirationTime(of: value, $0, writer) }
        )
        withMarks(of: entryID, limits) { marks, slot in
            if isNew { marks.recordArrival(slot) } else { marks.recordStored(slot) }
            if marks.expires { marks.setSince(now, of: slot) }
        }
    }

    @inlinable
    func expirationTime(
        of value: Value,
        _ time: (Value) -> Time?,
        _ writer: Writer
    ) -> Time? {
        writer.runUserCode("the expiration", of: Value.self) { time(value) }
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
