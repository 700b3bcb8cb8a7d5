// What goes when there is too much, or when its time is up, under the writers' lock.
extension Table {
    /// How many values in a row the hand passes over because they have been read, before it takes one
    /// all the same.
    @inlinable static var patience: Int { 64 }

    /// How many more values the hand looks at for each commit where costs differ.
    @inlinable static var stepsForCosts: Int { 1_024 }

    /// Whether there is more than the limit allows.
    @inlinable var exceedsLimit: Bool { retainer.map { $0.ledger.total > $0.limit } ?? false }

    /// Removes some of what is above the limit, as part of the open transaction, in time that depends on
    /// what that has written only.
    func evictExcess(in writer: Writer) -> Int { steps.evictExcess(self, writer) }

    @inlinable
    func evictExcessEntries(in writer: Writer) -> Int {
        guard let retainer else { return 0 }
        guard exceedsLimit else {
            retainer.ledger.enqueueArrivals()
            return 0
        }
        var evicted = 0
        if retainer.cost != nil {
            // What can never fit must not make all else go first.
            for name in pending where isTooLarge(name, retainer) && !isInUse(name) {
                remove(name, for: .evicted, in: writer)
                forgetRetained(name)
                evicted += 1
            }
        }
        defer { retainer.ledger.enqueueArrivals() }
        let limit = Int128(retainer.limit)
        // For each value that has been stored the hand may pass over as many as it does before it takes
        // one, and take that. Where costs differ, one that is stored may be worth many.
        var steps = (Self.patience + 1) * (pending.count + 1)
        if retainer.cost != nil { steps += Self.stepsForCosts }
        evicted += evict(downTo: limit, steps: steps, sparesWritten: true, in: writer)
        // What has just been stored stays, so that it can be observed, unless that alone is too much.
        let tooMuch = pending.reduce(-limit) { $0 + Int128(cost(of: $1, retainer)) }
        if retainer.ledger.total > limit, tooMuch > 0 {
            retainer.ledger.enqueueArrivals()
            let target = max(limit, retainer.ledger.total - tooMuch)
            evicted += evict(downTo: target, steps: steps, sparesWritten: false, in: writer)
        }
        return evicted
    }

    @inlinable
    func cost(of name: EntryID, _ retainer: Retainer<Value>) -> Int {
        let ticket = retainer.block.tickets[Int(name.slot)]
        return ticket == .none ? 0 : retainer.ledger.cost(of: ticket)
    }

    @inlinable
    func isTooLarge(_ name: EntryID, _ retainer: Retainer<Value>) -> Bool {
        cost(of: name, retainer) > retainer.limit
    }

    /// Removes values that are not in use, first of all those that have not been read, until what is
    /// left is within a limit.
    ///
    /// - Parameters:
    ///   - total: What those that are left may cost.
    ///   - steps: How many values are looked at.
    ///   - limit: How many are removed at most.
    ///   - sparesWritten: Whether what the open transaction has stored stays.
    @inlinable
    func evict(
        downTo total: Int128,
        steps: Int,
        atMost limit: Int = .max,
        sparesWritten: Bool,
        in writer: Writer
    ) -> Int {
        guard let retainer else { return 0 }
        var evicted = 0
        var passedOver = 0
        for _ in 0..<steps where retainer.ledger.total > total && evicted < limit {
            guard let ticket = retainer.ledger.queue.advance() else { break }
            let name = retainer.ledger.entry(of: ticket)
            if node(of: name) != .none { continue }
            if sparesWritten, self[name].pointee.version == writer.level { continue }
            let isVisited = withMarks(of: name, retainer) { marks, slot in marks.takeVisit(slot) }
            if isVisited, passedOver < Self.patience {
                passedOver += 1
                continue
            }
            if isPinned(name) { continue }
            passedOver = 0
            remove(name, for: .evicted, in: writer)
            forgetRetained(name)
            evicted += 1
        }
        return evicted
    }

    /// How many values there are, as far as the open transaction knows, that may be trimmed.
    var trimmableCount: Int { traits.pinnedKeys == nil ? writtenCount : 0 }

    func trim(_ plan: inout TrimPlan, in writer: Writer) -> Int {
        guard traits.pinnedKeys == nil, plan.excess > 0 else {
            plan.isDone = true
            return 0
        }
        let limit = min(plan.excess, TrimPlan.removedAtATime)
        let trimmed =
            retainer.map { trimByUse($0, limit, &plan, in: writer) }
            ?? trimInAnyOrder(limit, &plan, in: writer)
        plan.excess -= trimmed
        return trimmed
    }

    /// Trims by the number of values, whatever they cost.
    private func trimByUse(
        _ retainer: Retainer<Value>,
        _ limit: Int,
        _ plan: inout TrimPlan,
        in writer: Writer
    ) -> Int {
        // Of all that there is, the first round may find that it has been read; the second takes it.
        var left = plan.visitsLeft ?? 2 * retainer.ledger.count + Self.patience
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
            // An entry stays in its stripe, but not in its slot, when the table is rebuilt.
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

    /// Removes values whose time is up, or makes them stale if they are in use, as part of the open
    /// transaction.
    ///
    /// - Returns: How many values have been looked at: fewer than the limit if no other is due.
    func expireDue(at now: Time, atMost limit: Int, in writer: Writer) -> Int {
        guard let retainer, retainer.expires else { return 0 }
        setTick(retainer, at: now)
        for count in 0..<limit {
            switch retainer.ledger.deadlines.next(at: now) {
            case .nothing: return count
            case .putOff: continue
            case .due(let ticket): expire(ticket, at: now, retainer, writer)
            }
        }
        return limit
    }

    private func expire(
        _ ticket: Ticket,
        at now: Time,
        _ retainer: Retainer<Value>,
        _ writer: Writer
    ) {
        let name = retainer.ledger.entry(of: ticket)
        let isInUse = isInUse(name)
        if let deadline = deadline(of: name, isInUse: isInUse, at: now, retainer), deadline > now {
            return retainer.ledger.deadlines.set(deadline, of: ticket)
        }
        if !isInUse {
            remove(name, for: .expired, in: writer)
            return forgetRetained(name)
        }
        retainer.ledger.deadlines.remove(ticket)
        if retainer.ledger.stale.insert(ticket).inserted {
            retainer.expiring.insert(name)
            if !isNotedAsWritten { noteWrite(in: writer) }
        }
    }

    /// When an entry expires that the ledger has found due, if the ledger doesn't know for sure.
    private func deadline(
        of name: EntryID,
        isInUse: Bool,
        at now: Time,
        _ retainer: Retainer<Value>
    ) -> Time? {
        guard retainer.hasMarkedDeadlines, !isStale(name) else { return nil }
        if isInUse, case .afterAccess(let time) = retainer.rule {
            // The numbers of stretches repeat after some lifetimes, so a mark must be renewed by then.
            withMarks(of: name, retainer) { marks, slot in marks.noteAccess(slot) }
            return now.advanced(by: time)
        }
        return withMarks(of: name, retainer) { marks, slot in
            retainer.deadline(by: marks, of: slot, at: now)
        }
    }

    /// How many values the open transaction makes stale.
    var expiringCount: Int { retainer?.expiring.count ?? 0 }

    /// Makes values stale as of a version that is about to become visible.
    func publishExpired(_ version: UInt64) {
        guard let retainer, !retainer.expiring.isEmpty else { return }
        let now = retainer.now
        for name in retainer.expiring {
            withMarks(of: name, retainer) { marks, slot in
                marks.setStale(slot, at: version)
                marks.setSince(now, of: slot)
            }
        }
    }

    /// The keys of values that are stale and watched.
    func staleWatchedKeys(onlyExpiring: Bool) -> [CacheKey] {
        guard let retainer else { return [] }
        let names =
            onlyExpiring
            ? Array(retainer.expiring)
            : retainer.ledger.stale.map { retainer.ledger.entry(of: $0) }
        return names.filter { node(of: $0) != .none }.map { key(of: $0) }
    }

    /// Whether an entry is stale.
    @usableFromInline
    func isStale(_ name: EntryID) -> Bool {
        guard let retainer, !retainer.ledger.stale.isEmpty else { return false }
        return retainer.ledger.stale.contains(retainer.block.tickets[Int(name.slot)])
    }
}
