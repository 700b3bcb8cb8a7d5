// Limits and expiration of a table, under the writers' lock.
extension Table {
    var isRetaining: Bool { retainer != nil }

    /// Applies a retention policy to the table.
    ///
    /// - Complexity: O(*n*) in the number of entries; O(1) if only the count of the limit changes.
    func limit(
        _ policy: RetentionPolicy<Value>,
        _ timeline: any Timeline,
        _ wakeTime: WakeTime,
        in writer: Writer
    ) {
        let former = retainer
        if let former, former.hasUniformCosts, policy.limit.cost == nil,
            former.expiration.isSame(as: policy.expiration)
        {
            former.limit = policy.limit.limit
            return
        }
        let hasStale = former?.hasStale ?? false
        let retainer = makeRetainer(policy, timeline, wakeTime, hasStale: hasStale)
        let now = retainer.now
        self.retainer = retainer
        for index in 0..<Stripes.count {
            stripe(at: index).state.pointee.region.forEachSlot { slot in
                let name = EntryID(slot: UInt32(index * block.capacity + slot))
                guard let value = self[name].pointee.value else { return }
                let state = former.flatMap { formerState(of: name, $0) }
                recordStored(value, in: name, at: state?.since ?? now, retainer, writer)
                if let state, let version = state.staleVersion {
                    keepStale(name, at: version, retainer)
                }
            }
        }
        retainer.ledger.enqueueArrivals()
        retainer.wakeTime.offer(nextWakeTime)
        // The new marks are shared last, so that readers never find a stale value fresh. Until
        // then, readers use the former marks.
        shareMarks()
        withExtendedLifetime(former) {}
    }

    /// Returns the time when an entry was stored and the version since which it is stale, if it is,
    /// or `nil` if its former retainer doesn't know them.
    private func formerState(
        of name: EntryID,
        _ former: Retainer<Value>
    ) -> (since: Time, staleVersion: UInt64?)? {
        let ticket = former.block.tickets[Int(name.slot)]
        guard former.expires, ticket != .none else { return nil }
        let isStale = former.ledger.stale.contains(ticket)
        return withMarks(of: name, former) { marks, slot in
            marks.since(of: slot).map { ($0, isStale ? marks.staleVersion(of: slot) : nil) }
        }
    }

    /// Makes an entry, which was stale for the former retainer, stale for the new one.
    private func keepStale(
        _ name: EntryID,
        at version: UInt64,
        _ retainer: Retainer<Value>
    ) {
        let ticket = retainer.block.tickets[Int(name.slot)]
        retainer.ledger.stale.insert(ticket)
        retainer.ledger.deadlines.remove(ticket)
        withMarks(of: name, retainer) { marks, slot in marks.setStale(slot, at: version) }
        if !isInUse(name) { recordUnused(name) }
    }

    private func makeRetainer(
        _ policy: RetentionPolicy<Value>,
        _ timeline: any Timeline,
        _ wakeTime: WakeTime,
        hasStale: Bool
    ) -> Retainer<Value> {
        Retainer(
            policy,
            timeline: timeline,
            wakeTime: wakeTime,
            capacity: block.capacity,
            hasStale: hasStale
        )
    }

    /// Applies a retention policy to an empty table that isn't in use yet.
    func beginRetaining(
        _ policy: RetentionPolicy<Value>,
        _ timeline: any Timeline,
        _ wakeTime: WakeTime
    ) {
        retainer = makeRetainer(policy, timeline, wakeTime, hasStale: false)
        shareMarks()
    }

    /// Makes readers record their reads in the retainer's block.
    private func shareMarks() {
        for index in 0..<Stripes.count {
            let stripe = stripe(at: index)
            stripe.acquire()
            stripe.state.pointee.marks = retainer?.block.marks(ofStripe: index).base
            stripe.release()
        }
    }

    @usableFromInline
    func setTick(_ retainer: Retainer<Value>, at now: Time) {
        guard let tick = retainer.beginTick(at: now) else { return }
        for index in 0..<Stripes.count {
            let stripe = stripe(at: index)
            stripe.acquire()
            retainer.block.marks(ofStripe: index).setTick(tick)
            stripe.release()
        }
    }

    /// Returns whether the value that was stored with a version was stale before the open
    /// transaction.
    @usableFromInline
    func isStale(_ name: EntryID, stored version: UInt64) -> Bool {
        guard let retainer, retainer.expires else { return false }
        return withMarks(of: name, retainer) { marks, slot in
            marks.isStale(slot, stored: version, readAt: .max)
        }
    }

    /// Runs a closure with the marks of an entry's stripe and the entry's slot, under the stripe's
    /// lock.
    @inlinable @inline(__always)
    func withMarks<Result>(
        of name: EntryID,
        _ retainer: Retainer<Value>,
        _ body: (RetentionMarks, Int) -> Result
    ) -> Result {
        let (index, slot) = retainer.block.place(of: name.slot)
        let stripe = stripe(at: index)
        stripe.acquire()
        defer { stripe.release() }
        return body(retainer.block.marks(ofStripe: index), slot)
    }

    /// The time of the next expiry or tick, or `nil` if no value expires.
    var nextWakeTime: Time? {
        guard let retainer, let earliest = retainer.ledger.deadlines.earliestTime else {
            return nil
        }
        return min(earliest, retainer.nextTickTime)
    }

    // MARK: Stored values

    func recordWritten(in writer: Writer) { steps.recordWritten(self, writer) }

    @inlinable
    func recordWrittenEntries(in writer: Writer) {
        guard let retainer else { return }
        let now = retainer.now
        if retainer.mustBeginTick(at: now) { setTick(retainer, at: now) }
        for name in pending {
            if let value = self[name].pointee.value {
                recordStored(value, in: name, at: now, retainer, writer)
            } else {
                forgetRetained(name)
            }
        }
        if retainer.expires { scheduleNextWakeTime(retainer) }
    }

    @usableFromInline
    func scheduleNextWakeTime(_ retainer: Retainer<Value>) { retainer.wakeTime.offer(nextWakeTime) }

    /// The time that an exchange in place records, or `nil` if it records none or has more to do.
    @inlinable @inline(__always) var timeToMark: Time? {
        guard let retainer, retainer.hasMarkedDeadlines else { return nil }
        let now = retainer.now
        return retainer.mustBeginTick(at: now) ? nil : now
    }

    /// Updates retention after the stored value was stored again with an equal one.
    @usableFromInline
    func recordStoredAgain(
        _ value: Value,
        in entry: Region<Value>.Pointer,
        _ writer: Writer
    ) {
        guard let retainer else { return }
        if retainer.expires { return recordExchange(value, in: entry, in: writer) }
        let name = EntryID(slot: UInt32(truncatingIfNeeded: entry - block.entries))
        withMarks(of: name, retainer) { marks, slot in marks.recordAccess(slot) }
    }

    /// Updates retention after a value was exchanged in place, or an equal one was stored.
    @usableFromInline
    func recordExchange(_ value: Value, in entry: Region<Value>.Pointer, in writer: Writer) {
        guard let retainer else { return }
        let now = retainer.now
        setTick(retainer, at: now)
        let name = EntryID(slot: UInt32(truncatingIfNeeded: entry - block.entries))
        recordStored(value, in: name, at: now, retainer, writer)
        retainer.wakeTime.offer(nextWakeTime)
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
        guard let retainer, traits.pinnedKeys == nil else { return false }
        guard retainer.hasUniformCosts, !exceedsLimit else { return false }
        guard retainer.hasStale else { return true }
        return !isStale(EntryID(slot: UInt32(truncatingIfNeeded: entry - block.entries)))
    }

    @inlinable
    func recordStored(
        _ value: Value,
        in name: EntryID,
        at now: Time,
        _ retainer: Retainer<Value>,
        _ writer: Writer
    ) {
        let known = retainer.block.tickets[Int(name.slot)]
        let ticket = known == .none ? retainer.ledger.add(name) : known
        if known == .none { retainer.block.tickets[Int(name.slot)] = ticket }
        retainer.ledger.setCost(cost(of: value, retainer, writer), of: ticket)
        if retainer.expires { setDeadline(of: value, ticket, at: now, retainer, writer) }
        withMarks(of: name, retainer) { marks, slot in
            if known == .none { marks.recordArrival(slot) } else { marks.recordStored(slot) }
            if marks.expires { marks.setSince(now, of: slot) }
        }
    }

    @usableFromInline
    func setDeadline(
        of value: Value,
        _ ticket: Ticket,
        at now: Time,
        _ retainer: Retainer<Value>,
        _ writer: Writer
    ) {
        let deadline = writer.runUserCode("the expiration", of: Value.self) {
            retainer.deadline(of: value, storedAt: now)
        }
        if !retainer.ledger.stale.isEmpty { retainer.ledger.stale.remove(ticket) }
        if let deadline {
            retainer.ledger.deadlines.set(deadline, of: ticket)
        } else {
            retainer.ledger.deadlines.remove(ticket)
        }
    }

    @inlinable
    func cost(of value: Value, _ retainer: Retainer<Value>, _ writer: Writer) -> Int {
        guard let cost = retainer.cost else { return 1 }
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
        guard retainer != nil else { return }
        for name in pending where self[name].pointee.value == nil { forgetRetained(name) }
    }

    /// Discards the retention state of an entry that has no value any more.
    @inlinable
    func forgetRetained(_ name: EntryID) {
        guard let retainer else { return }
        let ticket = retainer.block.tickets[Int(name.slot)]
        guard ticket != .none else { return }
        retainer.block.tickets[Int(name.slot)] = .none
        retainer.ledger.remove(ticket)
    }

    /// Moves the retention state of the entries to their new slots.
    @usableFromInline
    func moveRetained(from old: EntryBlock<Value>, to capacity: Int) {
        guard let retainer else { return }
        let new = RetentionBlock(capacity: capacity, expires: retainer.expires)
        for index in 0..<Stripes.count {
            let stripe = stripe(at: index)
            let oldMarks = retainer.block.marks(ofStripe: index)
            let newMarks = new.marks(ofStripe: index)
            newMarks[capacity] = oldMarks.accessMark
            for slot in 0..<old.capacity where old.tags[index * old.capacity + slot].isOccupied {
                let oldSlot = index * old.capacity + slot
                let newSlot = UInt32(bitPattern: old.entries[oldSlot].node.index)
                stripe.acquire()
                newMarks.copy(new.place(of: newSlot).slot, from: oldMarks, slot)
                stripe.release()
                let ticket = retainer.block.tickets[oldSlot]
                new.tickets[Int(newSlot)] = ticket
                if ticket != .none { retainer.ledger.move(ticket, to: newSlot) }
            }
        }
        retainer.block = new
        guard retainer.ledger.isSparse else { return }
        let renamed = retainer.ledger.compact()
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
        guard retainer?.expires ?? false, let name = entryID(id: id, hash: Self.hash(of: id)) else {
            return
        }
        recordUnused(name)
    }

    func recordUnused(_ name: EntryID) {
        guard let retainer, retainer.expires else { return }
        let ticket = retainer.block.tickets[Int(name.slot)]
        if case .afterAccess(let time) = retainer.rule, ticket != .none {
            retainer.ledger.deadlines.set(retainer.now.advanced(by: time), of: ticket)
        }
        guard retainer.ledger.stale.contains(ticket) else { return }
        retainer.ledger.deadlines.set(.min, of: ticket)
        retainer.wakeTime.offer(.min)
    }
}
