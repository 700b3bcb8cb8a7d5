@testable import FlatCache

/// The record and the tick of an entry, which the limits of a table would pass to its state.
struct MarkedTimes {
    var tick = 0
    var record = FreshnessRecord()

    init(tick: Int = 0, stored: Time, staleFrom: Time = .max) {
        self.tick = tick
        record.recordStored(StoredTimes(stored: stored, staleFrom: staleFrom))
    }
}

extension EvictionState {
    mutating func recordStored(
        _ entry: EntryID,
        cost: Int,
        at now: Time,
        staleAt stale: Time? = nil,
        expiringAt expiration: Time?
    ) -> Bool {
        recordStored(
            entry,
            cost: cost,
            at: now,
            LifetimeRules.OwnTimes(stale: stale, expiration: expiration)
        )
    }

    mutating func expire(
        _ entry: EntryID,
        isInUse: Bool,
        isStale: Bool = false,
        marked: MarkedTimes,
        at now: Time
    ) -> Expiry {
        expire(
            entry,
            isInUse: isInUse,
            isStale: isStale,
            marked.record,
            markedTick: marked.tick,
            at: now
        )
    }

    mutating func recordUnused(_ entry: EntryID, at now: @autoclosure () -> Time) -> Bool {
        recordUnused(entry, FreshnessRecord(), isStale: false, at: now())
    }
}
