extension EvictionState {
    var staleEntries: [EntryID] { stale.map { entries[$0.index] } }

    func isStale(_ entry: EntryID) -> Bool {
        guard hasStale, let ticket = ticket(of: entry) else { return false }
        return stale.contains(ticket)
    }

    /// Makes an entry stale that has been stale under an earlier rule.
    mutating func keepStale(_ entry: EntryID) {
        guard let ticket = ticket(of: entry) else { return }
        stale.insert(ticket)
        deadlines.remove(ticket)
    }

    /// The time of the next expiry or tick, or `nil` if no value expires.
    var nextWakeTime: Time? { deadlines.earliestTime.map { min($0, ticks.nextTime) } }

    /// Returns the deadline of a value that is stored now.
    func deadline(at now: Time, ownTime: Time?) -> Time? {
        switch rule {
        case .never: nil
        case .afterWrite(let lifetime), .afterAccess(let lifetime): now.advanced(by: lifetime)
        case .atOwnTime: ownTime
        }
    }

    /// Returns the deadline of an entry according to its marks, or `nil` if they don't determine
    /// it.
    private func deadline(by marked: MarkedTimes, at now: Time) -> Time? {
        switch rule {
        case .never, .atOwnTime: return nil
        case .afterWrite(let lifetime): return marked.since?.advanced(by: lifetime)
        case .afterAccess(let lifetime):
            let read = ticks.latestTime(ofMarked: marked.tick, at: now)
            return max(read, marked.since ?? read).advanced(by: lifetime)
        }
    }

    mutating func setDeadline(_ deadline: Time?, of ticket: Ticket) {
        if let deadline {
            deadlines.set(deadline, of: ticket)
        } else {
            deadlines.remove(ticket)
        }
    }

    /// Returns the next entry whose deadline seems to have passed, or `nil` if there's none.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - visits: The number of entries that may be examined.
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

    /// Expires an entry that `nextDue(at:visits:)` has returned.
    mutating func expire(
        _ entry: EntryID,
        isInUse: Bool,
        marked: MarkedTimes,
        at now: Time
    ) -> Expiry {
        guard let ticket = ticket(of: entry) else { return .postponed }
        let isStale = stale.contains(ticket)
        if !isStale, let deadline = deadline(by: marked, at: now), deadline > now {
            deadlines.set(deadline, of: ticket)
            return .postponed
        }
        if !isInUse { return .expired }
        deadlines.remove(ticket)
        if isStale { return .staysStale }
        stale.insert(ticket)
        expiring.insert(entry)
        return .becomesStale
    }

    /// Returns whether a due entry counts as read because it is in use.
    ///
    /// The numbers of ticks repeat after some lifetimes, so its mark must be renewed before that.
    func countsAsRead(_ entry: EntryID, isInUse: Bool) -> Bool {
        guard isInUse, case .afterAccess = rule else { return false }
        return !isStale(entry)
    }

    /// Records that an entry is no longer in use.
    ///
    /// The entry counts as used until now. If it is stale, it becomes due for removal.
    ///
    /// - Returns: A Boolean value that indicates whether the entry is due.
    mutating func recordUnused(_ entry: EntryID, at now: @autoclosure () -> Time) -> Bool {
        guard expires, let ticket = ticket(of: entry) else { return false }
        if stale.contains(ticket) {
            deadlines.set(.min, of: ticket)
            return true
        }
        if case .afterAccess(let lifetime) = rule {
            deadlines.set(now().advanced(by: lifetime), of: ticket)
        }
        return false
    }

    /// Ends a transaction, which may have made entries stale.
    @usableFromInline
    mutating func endExpiring() {
        if !expiring.isEmpty { expiring = [] }
    }
}
