// Expiry, under the writers' lock.
extension Table {
    /// The time of the next deadline or tick, or `nil` if no value has a deadline.
    var nextWakeTime: Time? { limits?.state.nextWakeTime }

    /// Removes expired values that aren't in use, and makes values stale, as part of the open
    /// transaction.
    ///
    /// - Returns: The number of examined values, which is less than the limit if no more are due.
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
        guard let record = record(of: entryID, limits) else { return }
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
