// Eviction and expiry, under the writers' lock.
extension Table {
    /// The number of values that the queue's hand passes over in a row because they have been read;
    /// it evicts the next one even if that has been read.
    @inlinable static var patience: Int { 64 }

    /// The number of additional values that the hand examines in each commit if costs differ.
    @inlinable static var stepsForCosts: Int { 1_024 }

    /// A Boolean value that indicates whether the table exceeds its limit.
    @inlinable var exceedsLimit: Bool { limits.map { $0.ledger.total > $0.limit } ?? false }

    /// Evicts some of the values above the limit, as part of the open transaction.
    ///
    /// The time depends only on the number of entries that the transaction has written.
    func evictExcess(in writer: Writer) -> Int { steps.evictExcess(self, writer) }

    @inlinable
    func evictExcessEntries(in writer: Writer) -> Int {
        guard let limits else { return 0 }
        guard exceedsLimit else {
            limits.ledger.enqueueArrivals()
            return 0
        }
        var evicted = 0
        if limits.cost != nil {
            // A value that can never fit must not displace all others first.
            for name in pending where isTooLarge(name, limits) && !isInUse(name) {
                remove(name, for: .evicted, in: writer)
                forgetLimited(name)
                evicted += 1
            }
        }
        defer { limits.ledger.enqueueArrivals() }
        let limit = Int128(limits.limit)
        // For each stored value, the hand may pass over as many values as its patience allows, and
        // then evict one. If costs differ, a stored value may have to displace many others.
        var steps = (Self.patience + 1) * (pending.count + 1)
        if limits.cost != nil { steps += Self.stepsForCosts }
        evicted += evict(downTo: limit, steps: steps, sparesWritten: true, in: writer)
        // Values that have just been stored stay, so that they can be observed, unless they alone
        // exceed the limit.
        let tooMuch = pending.reduce(-limit) { $0 + Int128(cost(of: $1, limits)) }
        if limits.ledger.total > limit, tooMuch > 0 {
            limits.ledger.enqueueArrivals()
            let target = max(limit, limits.ledger.total - tooMuch)
            evicted += evict(downTo: target, steps: steps, sparesWritten: false, in: writer)
        }
        return evicted
    }

    @inlinable
    func cost(of name: EntryID, _ limits: TableLimits<Value>) -> Int {
        let ticket = limits.block.tickets[Int(name.slot)]
        return ticket == .none ? 0 : limits.ledger.cost(of: ticket)
    }

    @inlinable
    func isTooLarge(_ name: EntryID, _ limits: TableLimits<Value>) -> Bool {
        cost(of: name, limits) > limits.limit
    }

    /// Evicts values that aren't in use, unread ones first, until the total cost is within a limit.
    ///
    /// - Parameters:
    ///   - total: The maximum cost of the remaining values.
    ///   - steps: The maximum number of values to examine.
    ///   - limit: The maximum number of values to remove.
    ///   - sparesWritten: If `true`, the values that the open transaction has stored stay.
    @inlinable
    func evict(
        downTo total: Int128,
        steps: Int,
        atMost limit: Int = .max,
        sparesWritten: Bool,
        in writer: Writer
    ) -> Int {
        guard let limits else { return 0 }
        var evicted = 0
        var passedOver = 0
        for _ in 0..<steps where limits.ledger.total > total && evicted < limit {
            guard let ticket = limits.ledger.queue.advance() else { break }
            let name = limits.ledger.entry(of: ticket)
            if node(of: name) != .none { continue }
            if sparesWritten, self[name].pointee.version == writer.writeVersion { continue }
            let isVisited = withMarks(of: name, limits) { marks, slot in marks.takeVisit(slot) }
            if isVisited, passedOver < Self.patience {
                passedOver += 1
                continue
            }
            if isPinned(name) { continue }
            passedOver = 0
            remove(name, for: .evicted, in: writer)
            forgetLimited(name)
            evicted += 1
        }
        return evicted
    }

    /// The number of values that can be trimmed, with the writes of the open transaction so far.
    var trimmableCount: Int { traits.pinnedKeys == nil ? writtenCount : 0 }

    func trim(_ plan: inout TrimPlan, in writer: Writer) -> Int {
        guard traits.pinnedKeys == nil, plan.excess > 0 else {
            plan.isDone = true
            return 0
        }
        let limit = min(plan.excess, TrimPlan.removedAtATime)
        let trimmed =
            limits.map { trimByUse($0, limit, &plan, in: writer) }
            ?? trimInAnyOrder(limit, &plan, in: writer)
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
        // The first round over all values may find that all have been read; the second one removes
        // them.
        var left = plan.visitsLeft ?? 2 * limits.ledger.count + Self.patience
        var trimmed = 0
        var steps = min(TrimPlan.visitedAtATime, left)
        while trimmed < limit, steps > 0 {
            let some = min(steps, Self.patience)
            trimmed += evict(
                downTo: -1,
                steps: some,
                atMost: limit - trimmed,
                sparesWritten: false,
                in: writer
            )
            steps -= some
            left -= some
        }
        plan.visitsLeft = left
        plan.isDone = left <= 0
        return trimmed
    }

    private func trimInAnyOrder(_ limit: Int, _ plan: inout TrimPlan, in writer: Writer) -> Int {
        var trimmed = 0
        var steps = TrimPlan.visitedAtATime
        while plan.stripe < Stripes.count {
            let state = stripe(at: plan.stripe).state.pointee
            // A rebuild leaves an entry in its stripe, but moves it to another slot.
            if plan.rebuilds != state.rebuilds { plan.slot = 0 }
            plan.rebuilds = state.rebuilds
            while plan.slot < state.region.capacity {
                if trimmed == limit || steps == 0 { return trimmed }
                steps -= 1
                let slot = plan.slot
                plan.slot += 1
                let name = EntryID(slot: UInt32(plan.stripe * block.capacity + slot))
                guard state.region.tags[slot].isOccupied, self[name].pointee.value != nil,
                    !isInUse(name)
                else { continue }
                remove(name, for: .evicted, in: writer)
                trimmed += 1
            }
            plan.slot = 0
            plan.stripe += 1
        }
        plan.isDone = true
        return trimmed
    }

    // MARK: Expiry

    /// Removes expired values, or makes them stale if they are in use, as part of the open
    /// transaction.
    ///
    /// - Returns: The number of examined values, which is less than the limit if no more are due.
    func expireDue(at now: Time, atMost limit: Int, in writer: Writer) -> Int {
        guard let limits, limits.expires else { return 0 }
        setTick(limits, at: now)
        for count in 0..<limit {
            switch limits.ledger.deadlines.next(at: now) {
            case .nothing: return count
            case .putOff: continue
            case .due(let ticket): expire(ticket, at: now, limits, writer)
            }
        }
        return limit
    }

    private func expire(
        _ ticket: Ticket,
        at now: Time,
        _ limits: TableLimits<Value>,
        _ writer: Writer
    ) {
        let name = limits.ledger.entry(of: ticket)
        let isInUse = isInUse(name)
        if let deadline = deadline(of: name, isInUse: isInUse, at: now, limits), deadline > now {
            return limits.ledger.deadlines.set(deadline, of: ticket)
        }
        if !isInUse {
            remove(name, for: .expired, in: writer)
            return forgetLimited(name)
        }
        limits.ledger.deadlines.remove(ticket)
        if limits.ledger.stale.insert(ticket).inserted {
            limits.expiring.insert(name)
            if !isRecordedAsWritten { recordWrite(in: writer) }
        }
    }

    /// Returns the actual deadline of an entry that the ledger has found due, or `nil` if the
    /// ledger's deadline is the actual one.
    private func deadline(
        of name: EntryID,
        isInUse: Bool,
        at now: Time,
        _ limits: TableLimits<Value>
    ) -> Time? {
        guard limits.hasMarkedDeadlines, !isStale(name) else { return nil }
        if isInUse, case .afterAccess(let time) = limits.rule {
            // The numbers of ticks repeat after some lifetimes, so the mark must be renewed before
            // that.
            withMarks(of: name, limits) { marks, slot in marks.recordAccess(slot) }
            return now.advanced(by: time)
        }
        return withMarks(of: name, limits) { marks, slot in
            limits.deadline(by: marks, of: slot, at: now)
        }
    }

    /// The number of values that the open transaction makes stale.
    var expiringCount: Int { limits?.expiring.count ?? 0 }

    /// Makes values stale as of a version that is about to become visible.
    func publishExpired(_ version: UInt64) {
        guard let limits, !limits.expiring.isEmpty else { return }
        let now = limits.now
        for name in limits.expiring {
            withMarks(of: name, limits) { marks, slot in
                marks.setStale(slot, at: version)
                marks.setSince(now, of: slot)
            }
        }
    }

    /// Returns the keys of values that are stale and watched.
    func staleWatchedKeys(onlyExpiring: Bool) -> [CacheKey] {
        guard let limits else { return [] }
        let names =
            onlyExpiring
            ? Array(limits.expiring)
            : limits.ledger.stale.map { limits.ledger.entry(of: $0) }
        return names.filter { node(of: $0) != .none }.map { key(of: $0) }
    }

    /// Returns whether an entry is stale.
    @usableFromInline
    func isStale(_ name: EntryID) -> Bool {
        guard let limits, !limits.ledger.stale.isEmpty else { return false }
        return limits.ledger.stale.contains(limits.block.tickets[Int(name.slot)])
    }
}
