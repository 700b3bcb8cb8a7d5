// Eviction, under the writers' lock.
extension Table {
    /// Evicts some of the values above the limit, as part of the open transaction.
    ///
    /// The time depends only on the number of entries that the transaction has written.
    func evictExcess(in writer: Writer) -> Int {
        guard let limits else { return 0 }
        defer { limits.state.enqueueArrivals() }
        guard limits.state.exceedsLimit, !isExcessHeld(limits) else { return 0 }
        resolvePending()
        var evicted = 0
        if !limits.state.hasUniformCosts {
            for entryID in pending where limits.state.isTooLarge(entryID) && !isInUse(entryID) {
                remove(entryID, for: .evicted, in: writer)
                evicted += 1
            }
        }
        let stored = pending.count
        var sweep = limits.state.sweep(afterStoring: stored)
        evicted += evict(in: &sweep, limits, sparesWritten: true, in: writer)
        // The values of this commit are spared, so that the client can observe them. Only if they
        // alone exceed the limit, some of them are evicted, too.
        if var sweep = limits.state.sweep(including: pending, afterStoring: stored) {
            limits.state.enqueueArrivals()
            evicted += evict(in: &sweep, limits, sparesWritten: false, in: writer)
        }
        return evicted
    }

    /// Evicts values that aren't in use, unread ones first, until a search ends.
    ///
    /// - Parameter sparesWritten: If `true`, the values that the open transaction has stored aren't
    ///   evicted.
    /// - Returns: The number of evicted values.
    @usableFromInline
    func evict(
        in sweep: inout EvictionSweep,
        _ limits: TableLimits<Value>,
        sparesWritten: Bool,
        in writer: Writer
    ) -> Int {
        var evicted = 0
        while let entryID = limits.state.nextCandidate(of: &sweep) {
            if node(of: entryID) != .none { continue }
            if sparesWritten, self[entryID].pointee.version == writer.writeVersion { continue }
            let wasRead = withMarks(of: entryID) { marks, slot in marks.takeVisit(slot) }
            if sweep.passesOver(wasRead: wasRead) || isPinned(entryID) { continue }
            remove(entryID, for: .evicted, in: writer)
            sweep.recordEviction()
            evicted += 1
        }
        return evicted
    }

    // MARK: Trimming

    /// The number of values that can be trimmed, with the writes of the open transaction so far.
    var trimmableCount: Int { traits.pinnedKeys == nil ? writtenCount : 0 }

    func trim(_ plan: inout TrimPlan, in writer: Writer) -> Int {
        guard traits.pinnedKeys == nil, plan.excess > 0 else {
            plan.isDone = true
            return 0
        }
        let limit = min(plan.excess, TrimPlan.removedAtATime)
        let trimmed =
            if let limits, limits.state.listsEntries {
                trimByUse(limits, limit, &plan, in: writer)
            } else {
                trimInAnyOrder(limit, &plan, in: writer)
            }
        plan.excess -= trimmed
        return trimmed
    }

    /// Trims a number of values regardless of their costs, unread ones first.
    private func trimByUse(
        _ limits: TableLimits<Value>,
        _ limit: Int,
        _ plan: inout TrimPlan,
        in writer: Writer
    ) -> Int {
        let left = plan.visitsLeft ?? EvictionSweep.visitsToTrim(limits.state.count)
        let visits = min(TrimPlan.visitedAtATime, left)
        var sweep = EvictionSweep(trimming: limit, visits: visits)
        let trimmed = evict(in: &sweep, limits, sparesWritten: false, in: writer)
        plan.visitsLeft = left - (visits - sweep.visitsLeft)
        plan.isDone = plan.visitsLeft == 0
        return trimmed
    }

    private func trimInAnyOrder(_ limit: Int, _ plan: inout TrimPlan, in writer: Writer) -> Int {
        var trimmed = 0
        var visitsLeft = TrimPlan.visitedAtATime
        while plan.stripe < Stripes.count, visitsLeft > 0 {
            // Entries may have moved to other segments, but not to lower ranges of hashes.
            let segment = stripe(at: plan.stripe).state.pointee.segment(of: UInt32(plan.position))
            visitsLeft -= segment.capacity
            for slot in 0..<segment.capacity where segment.tags[slot].isOccupied {
                let entryID = segment.id(ofSlot: slot)
                if self[entryID].pointee.value == nil || isInUse(entryID) { continue }
                // The next part of the plan visits the segment once more.
                if trimmed == limit { return trimmed }
                remove(entryID, for: .evicted, in: writer)
                trimmed += 1
            }
            plan.position = segment.header.pointee.range.end
            if plan.position == HashRange.all.end {
                (plan.stripe, plan.position) = (plan.stripe + 1, 0)
            }
        }
        plan.isDone = plan.stripe == Stripes.count
        return trimmed
    }
}

// Expiry, under the writers' lock.
extension Table {
    /// The time of the next deadline or tick, or `nil` if no value has a deadline.
    var nextWakeTime: Time? { limits?.state.nextWakeTime }

    /// Removes expired values that aren't in use, and makes values stale, as part of the open
    /// transaction.
    ///
    /// - Returns: The number of examined values. If it's less than the limit, no more are due.
    func expireDue(at now: Time, atMost limit: Int, in writer: Writer) -> Int {
        guard let limits, limits.state.isTimed else { return 0 }
        setTick(limits, at: now)
        var left = limit
        while let entryID = limits.state.nextDue(at: now, visits: &left) {
            expire(entryID, at: now, limits, writer)
        }
        return limit - left
    }

    private func expire(
        _ entryID: EntryID,
        at now: Time,
        _ limits: TableLimits<Value>,
        _ writer: Writer
    ) {
        guard let (record, isWholeValueStale) = recordOfDeadlines(of: entryID, limits) else {
            return
        }
        if isWholeValueStale, node(of: entryID) != .none {
            writer.staleWholeValues.append(key(of: entryID))
        }
        let isInUse = isInUse(entryID)
        let countsAsRead = limits.state.countsAsRead(entryID, isInUse: isInUse)
        let tick = withMarks(of: entryID) { marks, slot in
            if countsAsRead { marks.recordAccess(slot) }
            return marks.tick(of: slot)
        }
        let expiry = limits.state.expire(
            entryID,
            isInUse: isInUse,
            isStale: isMarkedStale(self[entryID], limits),
            record,
            markedTick: tick,
            at: now
        )
        switch expiry {
        case .postponed, .staysStale: break
        case .expired: remove(entryID, for: .expired, in: writer)
        case .becomesStale: makeStale(entryID, in: writer)
        }
    }
}
