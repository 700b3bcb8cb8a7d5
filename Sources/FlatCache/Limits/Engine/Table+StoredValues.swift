// The limits' records of stored values: their costs, their times and their marks.
//
// Everything here is called under the writers' lock.
extension Table {
    func recordWrittenEntries(in writer: Writer) {
        guard let limits else { return }
        let now = limits.now
        if now >= limits.state.ticks.nextTime { setTick(limits, at: now) }
        resolvePending()
        let changes =
            tracksWholeValues && limits.state.isTimed ? wholeValueChanges(in: writer) : nil
        for (index, entryID) in pending.enumerated() {
            if isWrittenByLayersAlone(entryID) {
                keepStale(entryID, limits)
                continue
            }
            guard let value = self[entryID].pointee.value else {
                limits.state.forget(entryID)
                continue
            }
            // A restored value keeps the times that it had.
            let restored = index < restoredTimes.count ? restoredTimes[index] : nil
            let storedTime = restored?.stored ?? now
            let (usual, own) = self.times(of: value, storedAt: storedTime, limits, writer)
            let staleFrom = min(usual.staleFrom, restored?.staleFrom ?? .max)
            let times = StoredTimes(stored: storedTime, staleFrom: staleFrom)
            recordStored(value, in: entryID, times, own, limits, writer)
            guard let changes else { continue }
            let change = changes[self[entryID].pointee.id]
            let wholeTimes = wholeTimes(of: entryID, value, change, limits, writer)
            setWholeTimes(wholeTimes, of: entryID, limits)
        }
        if limits.state.isTimed { offerNextWakeTime(limits) }
    }

    /// Leaves a value stale that only layers have changed.
    private func keepStale(_ entryID: EntryID, _ limits: TableLimits<Value>) {
        guard limits.state.isTimed, let prior = self[entryID].pointee.prior else { return }
        let invalidation = invalidations.withLock {
            $0.staleTime(stored: prior.pointee.version, readAt: .max)
        }
        let time = prior.pointee.freshness.staleTime(
            stored: prior.pointee.version,
            readAt: .max,
            at: limits.now
        )
        guard let time = [invalidation, time].compactMap({ $0 }).min() else { return }
        withRecord(of: entryID, limits) { $0.staleFrom = min($0.staleFrom, time) }
    }

    @usableFromInline
    func offerNextWakeTime(_ limits: TableLimits<Value>) {
        limits.wakeTime.offer(limits.state.nextWakeTime)
    }

    /// Returns the times of a value that is about to be exchanged in place, or `nil` if values
    /// neither expire nor become stale.
    @usableFromInline @inline(never)
    func timesToRecord(of value: Value, _ writer: Writer) -> ExchangeTimes? {
        guard let limits, limits.state.isTimed else { return nil }
        let now = limits.now
        let (times, own) = times(of: value, storedAt: now, limits, writer)
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
    /// The exchange must neither evict a value, nor make a stale value fresh, nor change pins. Only
    /// a transaction records the times of whole values.
    @inlinable @inline(__always)
    func exchangesInPlace(_ entry: Segment<Value>.Pointer) -> Bool {
        // The commit counts the pins of lists and aliases.
        if traits.pinnedKeys != nil || isGuarded && isCovered(entry) { return false }
        guard let limits else { return true }
        guard limits.state.hasUniformCosts, !limits.state.exceedsLimit || isExcessHeld(limits)
        else { return false }
        return !limits.state.isTimed || !tracksWholeValues && !isMarkedStale(entry, limits)
    }

    @usableFromInline
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

    /// Returns the times of a value that is stored, and the ones that the value contains.
    func times(
        of value: Value,
        storedAt now: Time,
        _ limits: TableLimits<Value>,
        _ writer: Writer
    ) -> (stored: StoredTimes, own: LifetimeRules.OwnTimes) {
        var own = LifetimeRules.OwnTimes.none
        if let time = limits.staleTime {
            own.stale = writer.runUserCode("the time of staleness", of: Value.self) { time(value) }
        }
        if let time = limits.expirationTime {
            own.expiration = writer.runUserCode("the expiration", of: Value.self) { time(value) }
        }
        let staleFrom = limits.state.rules.staleTime(storedAt: now, own)
        return (StoredTimes(stored: now, staleFrom: staleFrom), own)
    }

    @usableFromInline
    func cost(of value: Value, _ cost: (Value) -> Int, _ writer: Writer) -> Int {
        let found = writer.runUserCode("the cost", of: Value.self) { cost(value) }
        precondition(
            found >= 0,
            "\(CacheKey(value)) cannot cost \(found): return zero or more from the function of .cost."
        )
        return found
    }
}
