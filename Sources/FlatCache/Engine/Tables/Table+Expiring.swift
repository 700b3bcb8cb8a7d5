// Expiry, under the writers' lock.
extension Table {
    /// The time of the next expiry or tick, or `nil` if no value expires.
    var nextWakeTime: Time? { limits?.state.nextWakeTime }

    /// Removes expired values, or makes them stale if they are in use, as part of the open
    /// transaction.
    ///
    /// - Returns: The number of examined values, which is less than the limit if no more are due.
    func expireDue(at now: Time, atMost limit: Int, in writer: Writer) -> Int {
        guard let limits, limits.state.expires else { return 0 }
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
        let isInUse = isInUse(entryID)
        let countsAsRead = limits.state.countsAsRead(entryID, isInUse: isInUse)
        let marked = withMarks(of: entryID, limits) { marks, slot in
            if countsAsRead { marks.recordAccess(slot) }
            return marks.markedTimes(of: slot)
        }
        switch limits.state.expire(entryID, isInUse: isInUse, marked: marked, at: now) {
        case .postponed, .staysStale: break
        case .expired: remove(entryID, for: .expired, in: writer)
        case .becomesStale: if !isRecordedAsWritten { recordWrite(in: writer) }
        }
    }

    /// The number of values that the open transaction makes stale.
    var expiringCount: Int { limits?.state.expiring.count ?? 0 }

    /// Makes values stale as of a version that is about to become visible.
    func publishExpired(_ version: UInt64) {
        guard let limits, !limits.state.expiring.isEmpty else { return }
        let now = limits.now
        for entryID in limits.state.expiring {
            withMarks(of: entryID, limits) { marks, slot in
                marks.setStale(slot, at: version)
                marks.setSince(now, of: slot)
            }
        }
    }

    // MARK: Staleness

    /// Returns the keys of values that are stale and watched.
    func staleWatchedKeys(onlyExpiring: Bool) -> [CacheKey] {
        guard let limits else { return [] }
        let names = onlyExpiring ? Array(limits.state.expiring) : limits.state.staleEntries
        return names.filter { node(of: $0) != .none }.map { key(of: $0) }
    }

    /// Returns whether an entry is stale.
    @usableFromInline
    func isStale(_ entryID: EntryID) -> Bool { limits?.state.isStale(entryID) ?? false }

    /// Returns whether the value that was stored with a version was stale before the open
    /// transaction.
    @usableFromInline
    func isStale(_ entryID: EntryID, stored version: UInt64) -> Bool {
        guard let limits, limits.state.expires else { return false }
        return withMarks(of: entryID, limits) { marks, slot in
            marks.isStale(slot, stored: version, readAt: .max)
        }
    }

    @usableFromInline
    func isStale(_ entry: Region<Value>.Pointer) -> Bool {
        isStale(id(of: entry), stored: entry.pointee.version)
    }
}
