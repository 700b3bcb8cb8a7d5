extension EvictionState {
    /// Returns whether an entry has expired but is kept because it's in use.
    func isExpired(_ entry: EntryID) -> Bool {
        guard hasExpired, let ticket = ticket(of: entry) else { return false }
        return deadlines.isExpired(ticket)
    }

    /// Records that an entry has expired under an earlier rule.
    mutating func keepExpired(_ entry: EntryID) {
        guard let ticket = ticket(of: entry) else { return }
        deadlines.remove(ticket)
        deadlines.setExpired(true, ticket)
    }

    /// The time of the next deadline or tick, or `nil` if no value has a deadline.
    var nextWakeTime: Time? { deadlines.earliestTime.map { min($0, ticks.nextTime) } }

    /// Returns the time at which an entry expires according to its record and its mark.
    private func expiration(
        of ticket: Ticket,
        _ record: FreshnessRecord,
        markedTick tick: Int,
        at now: Time
    ) -> Time {
        switch rules.expiration {
        case .never: return .max
        case .atOwnTime: return ownExpiration(of: ticket)
        case .afterWrite(let lifetime): return record.stored.advanced(by: lifetime)
        case .afterAccess(let lifetime):
            let read = ticks.latestTime(ofMarked: tick, at: now)
            return max(read, record.stored).advanced(by: lifetime)
        }
    }

    mutating func setDeadline(_ deadline: Time, of ticket: Ticket) {
        if deadline == .max {
            deadlines.remove(ticket)
        } else {
            deadlines.set(deadline, of: ticket)
        }
    }

    /// Makes an entry due at a time, unless it's due earlier.
    mutating func bringDeadlineForward(of entry: EntryID, to time: Time) {
        guard hasDeadlines, let ticket = ticket(of: entry) else { return }
        if time < deadlines.deadline(of: ticket) ?? .max { setDeadline(time, of: ticket) }
    }

    /// Returns the next entry whose deadline seems to have passed, or `nil` if there's none.
    ///
    /// - Parameter visits: The number of entries that may be examined.
    mutating func nextDue(at now: Time, visits: inout Int) -> EntryID? {
        while visits > 0 {
            switch deadlines.next(at: now) {
            case .nothing: return nil
            case .putOff: visits -= 1
            case .due(let ticket):
                visits -= 1
                return entries[ticket.index]
            }
        }
        return nil
    }

    /// Expires an entry that `nextDue(at:visits:)` has returned, or makes it stale.
    ///
    /// - Parameters:
    ///   - isInUse: `true` if the entry must be kept.
    ///   - isStale: `true` if a commit has made the entry stale.
    ///   - tick: The tick of the entry's mark.
    mutating func expire(
        _ entry: EntryID,
        isInUse: Bool,
        isStale: Bool,
        _ record: FreshnessRecord,
        markedTick tick: Int,
        at now: Time
    ) -> Expiry {
        guard let ticket = ticket(of: entry) else { return .postponed }
        let expiration = expiration(of: ticket, record, markedTick: tick, at: now)
        guard expiration <= now else {
            let becomesStale = !isStale && record.staleFrom <= now
            let next = isStale || becomesStale ? expiration : min(expiration, record.staleFrom)
            setDeadline(next, of: ticket)
            return becomesStale ? .becomesStale : .postponed
        }
        if !isInUse { return .expired }
        deadlines.remove(ticket)
        deadlines.setExpired(true, ticket)
        return isStale ? .staysStale : .becomesStale
    }

    /// Returns whether a due entry counts as read because it is in use.
    ///
    /// The numbers of the ticks repeat after a few lifetimes. Before that, the caller renews the
    /// mark of such an entry.
    func countsAsRead(_ entry: EntryID, isInUse: Bool) -> Bool {
        guard isInUse, case .afterAccess = rules.expiration else { return false }
        return !isExpired(entry)
    }

    /// Records that an entry is no longer in use.
    ///
    /// The entry counts as used until now. If it has expired, it becomes due for removal.
    ///
    /// - Returns: `true` if the entry is due.
    mutating func recordUnused(
        _ entry: EntryID,
        _ record: FreshnessRecord,
        isStale: Bool,
        at now: @autoclosure () -> Time
    ) -> Bool {
        guard hasDeadlines, let ticket = ticket(of: entry) else { return false }
        if deadlines.isExpired(ticket) {
            deadlines.set(.min, of: ticket)
            return true
        }
        if case .afterAccess(let lifetime) = rules.expiration {
            let expiration = now().advanced(by: lifetime)
            deadlines.set(isStale ? expiration : min(expiration, record.staleFrom), of: ticket)
        }
        return false
    }
}
