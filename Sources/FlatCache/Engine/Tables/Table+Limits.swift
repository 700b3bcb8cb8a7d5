// Limits and expiration of a table, under the writers' lock.
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
        if let former, former.hasUniformCosts, policy.limit.cost == nil,
            former.expiration.isSame(as: policy.expiration)
        {
            former.limit = policy.limit.limit
            return
        }
        let hasStale = former?.hasStale ?? false
        let limits = makeLimits(policy, timeline, wakeTime, hasStale: hasStale)
        let now = limits.now
        self.limits = limits
        for index in 0..<Stripes.count {
            stripe(at: index).state.pointee.region.forEachSlot { slot in
                let name = EntryID(slot: UInt32(index * block.capacity + slot))
                guard let value = self[name].pointee.value else { return }
                let state = former.flatMap { formerState(of: name, $0) }
                recordStored(value, in: name, at: state?.since ?? now, limits, writer)
                if let state, let version = state.staleVersion {
                    keepStale(name, at: version, limits)
                }
            }
        }
        limits.ledger.enqueueArrivals()
        limits.wakeTime.offer(nextWakeTime)
        // The new marks are shared last, so that readers never find a stale value fresh. Until
        // then, readers use the former marks.
        shareMarks()
        withExtendedLifetime(former) {}
    }

    /// Returns the time when an entry was stored and the version since which it is stale, if it is,
    /// or `nil` if its former limits doesn't know them.
    private func formerState(
        of name: EntryID,
        _ former: TableLimits<Value>
    ) -> (since: Time, staleVersion: UInt64?)? {
        let ticket = former.block.tickets[Int(name.slot)]
        guard former.expires, ticket != .none else { return nil }
        let isStale = former.ledger.stale.contains(ticket)
        return withMarks(of: name, former) { marks, slot in
            marks.since(of: slot).map { ($0, isStale ? marks.staleVersion(of: slot) : nil) }
        }
    }

    /// Makes an entry, which was stale for the former limits, stale for the new one.
    private func keepStale(
        _ name: EntryID,
        at version: UInt64,
        _ limits: TableLimits<Value>
    ) {
        let ticket = limits.block.tickets[Int(name.slot)]
        limits.ledger.stale.insert(ticket)
        limits.ledger.deadlines.remove(ticket)
        withMarks(of: name, limits) { marks, slot in marks.setStale(slot, at: version) }
        if !isInUse(name) { recordUnused(name) }
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

    /// Makes readers record their reads in the limits's block.
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
        guard let tick = limits.beginTick(at: now) else { return }
        for index in 0..<Stripes.count {
            let stripe = stripe(at: index)
            stripe.acquire()
            limits.block.marks(ofStripe: index).setTick(tick)
            stripe.release()
        }
    }

    /// Returns whether the value that was stored with a version was stale before the open
    /// transaction.
    @usableFromInline
    func isStale(_ name: EntryID, stored version: UInt64) -> Bool {
        guard let limits, limits.expires else { return false }
        return withMarks(of: name, limits) { marks, slot in
            marks.isStale(slot, stored: version, readAt: .max)
        }
    }

    /// Runs a closure with the marks of an entry's stripe and the entry's slot, under the stripe's
    /// lock.
    @inlinable @inline(__always)
    func withMarks<Result>(
        of name: EntryID,
        _ limits: TableLimits<Value>,
        _ body: (EvictionMarks, Int) -> Result
    ) -> Result {
        let (index, slot) = limits.block.place(of: name.slot)
        let stripe = stripe(at: index)
        stripe.acquire()
        defer { stripe.release() }
        return body(limits.block.marks(ofStripe: index), slot)
    }

    /// The time of the next expiry or tick, or `nil` if no value expires.
    var nextWakeTime: Time? {
        guard let limits, let earliest = limits.ledger.deadlines.earliestTime else {
            return nil
        }
        return min(earliest, limits.nextTickTime)
    }

    // MARK: Stored values

    func recordWritten(in writer: Writer) { steps.recordWritten(self, writer) }

    @inlinable
    func recordWrittenEntries(in writer: Writer) {
        guard let limits else { return }
        let now = limits.now
        if limits.mustBeginTick(at: now) { setTick(limits, at: now) }
        for name in pending {
            if let value = self[name].pointee.value {
                recordStored(value, in: name, at: now, limits, writer)
            } else {
                forgetLimited(name)
            }
        }
        if limits.expires { scheduleNextWakeTime(limits) }
    }

    @usableFromInline
    func scheduleNextWakeTime(_ limits: TableLimits<Value>) { limits.wakeTime.offer(nextWakeTime) }

    /// The time that an exchange in place records, or `nil` if it records none or has more to do.
    @inlinable @inline(__always) var timeToMark: Time? {
        guard let limits, limits.hasMarkedDeadlines else { return nil }
        let now = limits.now
        return limits.mustBeginTick(at: now) ? nil : now
    }

    /// Updates retention after the stored value was stored again with an equal one.
    @usableFromInline
    func recordStoredAgain(
        _ value: Value,
        in entry: Region<Value>.Pointer,
        _ writer: Writer
    ) {
        guard let limits else { return }
        if limits.expires { return recordExchange(value, in: entry, in: writer) }
        let name = EntryID(slot: UInt32(truncatingIfNeeded: entry - block.entries))
        withMarks(of: name, limits) { marks, slot in marks.recordAccess(slot) }
    }

    /// Updates retention after a value was exchanged in place, or an equal one was stored.
    @usableFromInline
    func recordExchange(_ value: Value, in entry: Region<Value>.Pointer, in writer: Writer) {
        guard let limits else { return }
        let now = limits.now
        setTick(limits, at: now)
        let name = EntryID(slot: UInt32(truncatingIfNeeded: entry - block.entries))
        recordStored(value, in: name, at: now, limits, writer)
        limits.wakeTime.offer(nextWakeTime)
    }

    @usableFromInline
    func isStale(_ entry: Region<Value>.Pointer) -> Bool {
        let name = EntryID(slot: UInt32(truncatingIfNeeded: entry - block.entries))
        return isStale(name, stored: entry.pointee.version)
    }

    /// Returns whether a new value can be exchanged in place, for a table with limits or one of
    /// lists or aliases.
    ///
    /// The exchange must neither evict a value, nor make a stale value fresh, nor change pins.
    @inlinable @inline(__always)
    func exchangesInPlace(_ entry: Region<Value>.Pointer) -> Bool {
        // The commit counts the pins of lists and aliases.
        guard let limits, traits.pinnedKeys == nil else { return false }
        guard limits.hasUniformCosts, !exceedsLimit else { return false }
        guard limits.hasStale else { return true }
        return !isStale(EntryID(slot: UInt32(truncatingIfNeeded: entry - block.entries)))
    }

    @inlinable
    func recordStored(
        _ value: Value,
        in name: EntryID,
        at now: Time,
        _ limits: TableLimits<Value>,
        _ writer: Writer
    ) {
        let known = limits.block.tickets[Int(name.slot)]
        let ticket = known == .none ? limits.ledger.add(name) : known
        if known == .none { limits.block.tickets[Int(name.slot)] = ticket }
        limits.ledger.setCost(cost(of: value, limits, writer), of: ticket)
        if limits.expires { setDeadline(of: value, ticket, at: now, limits, writer) }
        withMarks(of: name, limits) { marks, slot in
            if known == .none { marks.recordArrival(slot) } else { marks.recordStored(slot) }
            if marks.expires { marks.setSince(now, of: slot) }
        }
    }

    @usableFromInline
    func setDeadline(
        of value: Value,
        _ ticket: Ticket,
        at now: Time,
        _ limits: TableLimits<Value>,
        _ writer: Writer
    ) {
        let deadline = writer.runUserCode("the expiration", of: Value.self) {
            limits.deadline(of: value, storedAt: now)
        }
        if !limits.ledger.stale.isEmpty { limits.ledger.stale.remove(ticket) }
        if let deadline {
            limits.ledger.deadlines.set(deadline, of: ticket)
        } else {
            limits.ledger.deadlines.remove(ticket)
        }
    }

    @inlinable
    func cost(of value: Value, _ limits: TableLimits<Value>, _ writer: Writer) -> Int {
        guard let cost = limits.cost else { return 1 }
        let found = writer.runUserCode("the cost", of: Value.self) { cost(value) }
        precondition(
            found >= 0,
            "\(CacheKey(value)) cannot cost \(found): return zero or more from the function of .cost."
        )
        return found
    }

    /// Discards the retention state of the entries that the open transaction has removed.
    func forgetRemoved() { steps.forgetRemoved(self) }

    @inlinable
    func forgetRemovedEntries() {
        guard limits != nil else { return }
        for name in pending where self[name].pointee.value == nil { forgetLimited(name) }
    }

    /// Discards the retention state of an entry that has no value any more.
    @inlinable
    func forgetLimited(_ name: EntryID) {
        guard let limits else { return }
        let ticket = limits.block.tickets[Int(name.slot)]
        guard ticket != .none else { return }
        limits.block.tickets[Int(name.slot)] = .none
        limits.ledger.remove(ticket)
    }

    /// Moves the retention state of the entries to their new slots.
    @usableFromInline
    func moveLimited(from old: EntryBlock<Value>, to capacity: Int) {
        guard let limits else { return }
        let new = EvictionMarkBlock(capacity: capacity, expires: limits.expires)
        for index in 0..<Stripes.count {
            let stripe = stripe(at: index)
            let oldMarks = limits.block.marks(ofStripe: index)
            let newMarks = new.marks(ofStripe: index)
            newMarks[capacity] = oldMarks.accessMark
            for slot in 0..<old.capacity where old.tags[index * old.capacity + slot].isOccupied {
                let oldSlot = index * old.capacity + slot
                let newSlot = UInt32(bitPattern: old.entries[oldSlot].node.index)
                stripe.acquire()
                newMarks.copy(new.place(of: newSlot).slot, from: oldMarks, slot)
                stripe.release()
                let ticket = limits.block.tickets[oldSlot]
                new.tickets[Int(newSlot)] = ticket
                if ticket != .none { limits.ledger.move(ticket, to: newSlot) }
            }
        }
        limits.block = new
        guard limits.ledger.isSparse else { return }
        let renamed = limits.ledger.compact()
        for slot in 0..<Stripes.count * capacity where new.tickets[slot] != .none {
            new.tickets[slot] = renamed[new.tickets[slot].index]
        }
    }

    // MARK: Use

    /// Returns whether an entry must not be evicted, because it is watched or pinned.
    @inlinable
    func isInUse(_ name: EntryID) -> Bool { node(of: name) != .none || isPinned(name) }

    @inlinable
    func isPinned(_ name: EntryID, byTokensOnly: Bool = false) -> Bool {
        if pins.isEmpty, namePins.isEmpty { return false }
        let id = self[name].pointee.id
        return pins[id] != nil || !byTokensOnly && namePins[id] != nil
    }

    func pin(_ id: Value.ID) { pins[id, default: 0] += 1 }

    func unpin(_ id: Value.ID) {
        guard let count = pins[id] else { return }
        pins[id] = count == 1 ? nil : count - 1
        if count == 1 { recordUnused(id) }
    }

    func pinChanges() -> [(key: CacheKey, difference: Int)] {
        guard let pinnedKeys = traits.pinnedKeys else { return [] }
        return pending.flatMap { name in
            let entry = self[name]
            let old = entry.pointee.prior?.value.map(pinnedKeys) ?? []
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

    /// Updates retention for an entity that is no longer in use.
    ///
    /// The entity counts as used until now. If it is stale, it becomes due for removal.
    func recordUnused(_ id: Value.ID) {
        guard limits?.expires ?? false, let name = entryID(id: id, hash: Self.hash(of: id)) else {
            return
        }
        recordUnused(name)
    }

    func recordUnused(_ name: EntryID) {
        guard let limits, limits.expires else { return }
        let ticket = limits.block.tickets[Int(name.slot)]
        if case .afterAccess(let time) = limits.rule, ticket != .none {
            limits.ledger.deadlines.set(limits.now.advanced(by: time), of: ticket)
        }
        guard limits.ledger.stale.contains(ticket) else { return }
        limits.ledger.deadlines.set(.min, of: ticket)
        limits.wakeTime.offer(.min)
    }
}
