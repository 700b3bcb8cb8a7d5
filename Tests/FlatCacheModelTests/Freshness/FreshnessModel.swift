@testable import FlatCache
@testable import FlatCacheTestSupport

/// A naive reference for the freshness of the values of one type: a dictionary, which batches copy.
struct FreshnessModel {
    struct Stored {
        var value: Station
        /// The time of the latest write, in seconds.
        var time: Int
        /// The time from which on the value is stale by its lifetimes.
        var staleFrom: Int
        /// The time of the commit that made the value stale, if there was one.
        var markedSince: Int?
        /// A Boolean value that indicates whether the value has expired while it was in use.
        var isExpired = false

        // In a batch:
        var isWritten = false
        var isInvalidated = false
    }

    /// The seconds after a write from which on a value is stale.
    var lifetime: Int?
    /// The seconds after a write at which a value expires.
    var timeToLive: Int?
    var now = 0
    var stored: [Int: Stored] = [:]

    func freshness(of id: Int) -> Freshness {
        guard let stored = stored[id] else { return .missing }
        if stored.isWritten {
            return stored.isInvalidated ? .stale(since: instant(now)) : .fresh(since: instant(now))
        }
        let times = [stored.markedSince, stored.staleFrom <= now ? stored.staleFrom : nil]
        if let since = times.compactMap({ $0 }).min() { return .stale(since: instant(since)) }
        if stored.isInvalidated { return .stale(since: instant(now)) }
        return .fresh(since: instant(stored.time))
    }

    private func instant(_ seconds: Int) -> CacheInstant { CacheInstant(offset: .seconds(seconds)) }

    // MARK: Writes

    /// Returns the time from which on a value is stale that is stored at a time.
    private func staleTime(storedAt time: Int) -> Int {
        min(time + (lifetime ?? 1 << 40), time + (timeToLive ?? 1 << 40))
    }

    mutating func set(_ value: Station) {
        stored[value.id] = Stored(
            value: value,
            time: now,
            staleFrom: staleTime(storedAt: now),
            isWritten: true
        )
    }

    mutating func invalidate(where isChosen: (Station) -> Bool) {
        for (id, entry) in stored where isChosen(entry.value) { stored[id]?.isInvalidated = true }
    }

    /// Ends a batch; returns the entities that have become stale without another change.
    mutating func commit(after before: FreshnessModel) -> Set<Int> {
        var becameStale: Set<Int> = []
        for (id, entry) in stored {
            let old = before.stored[id]
            let wasStale = before.freshness(of: id).isStale
            // An equal value renews a fresh one without a change.
            let isChanged = entry.isWritten && (entry.value != old?.value || wasStale)
            if entry.isInvalidated, entry.markedSince == nil {
                stored[id]?.markedSince = min(now, entry.staleFrom)
                if !isChanged { becameStale.insert(id) }
            }
            stored[id]?.isWritten = false
            stored[id]?.isInvalidated = false
        }
        return becameStale
    }

    // MARK: Time

    /// Removes expired values that aren't in use, and marks stale values; returns the entities that
    /// have become stale.
    mutating func expire(inUse: Set<Int>) -> Set<Int> {
        var becameStale: Set<Int> = []
        for (id, entry) in stored {
            let isExpired = entry.isExpired || timeToLive.map { entry.time + $0 <= now } ?? false
            if isExpired, !inUse.contains(id) {
                stored[id] = nil
                continue
            }
            stored[id]?.isExpired = isExpired
            guard entry.staleFrom <= now, entry.markedSince == nil else { continue }
            stored[id]?.markedSince = entry.staleFrom
            becameStale.insert(id)
        }
        return becameStale
    }

    mutating func setLifetimes(_ lifetime: Int?, timeToLive: Int?) {
        self.lifetime = lifetime
        self.timeToLive = timeToLive
        for (id, entry) in stored {
            // A stale value stays stale, since the same time.
            if let marked = entry.markedSince {
                let staleFrom = entry.staleFrom <= now ? entry.staleFrom : marked
                stored[id]?.markedSince = min(marked, staleFrom)
            }
            let time = staleTime(storedAt: entry.time)
            stored[id]?.staleFrom = time
        }
    }
}
