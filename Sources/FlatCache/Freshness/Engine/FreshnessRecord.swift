/// The times and the version that determine whether an entry's value is fresh.
///
/// A value is stale from its own time on, or as of the version of a commit that made it stale. A
/// value that is stored later is fresh without further action: its version is greater. If that
/// write is rolled back, the previous value is stale again.
@usableFromInline
struct FreshnessRecord: Equatable {
    /// The time at which the value was last stored, or `.min` if it's unknown.
    @usableFromInline var stored = Time.min
    /// The time from which on the value is stale, by the rules of its type.
    @usableFromInline var staleFrom = Time.max
    /// The version of the latest commit that made the entity stale.
    ///
    /// As of this version, values that were stored in that commit or before are stale.
    var staleVersion: UInt64 = 0
    /// The time that belongs to the stale version.
    var staleTime = Time.max

    @inlinable
    init() {}

    /// Returns whether a commit up to the version that is read has made a value stale.
    ///
    /// - Parameters:
    ///   - version: The version of the commit that stored the value.
    ///   - readVersion: The version that is read.
    func isMarkedStale(stored version: UInt64, readAt readVersion: UInt64) -> Bool {
        version <= staleVersion && staleVersion <= readVersion
    }

    /// Returns whether a value was stale already as of the commit that stored it.
    ///
    /// - Parameter version: The version of the commit that stored the value.
    func wasStale(stored version: UInt64) -> Bool { staleFrom <= stored || staleVersion == version }

    /// Returns the time since which a value is stale, or `nil` if it's fresh.
    ///
    /// - Parameters:
    ///   - version: The version of the commit that stored the value.
    ///   - readVersion: The version that is read.
    ///   - now: The time with which the value's own time is compared.
    func staleTime(
        stored version: UInt64,
        readAt readVersion: UInt64,
        at now: Time
    ) -> Time? {
        let marked = isMarkedStale(stored: version, readAt: readVersion) ? staleTime : .max
        let time = min(marked, staleFrom <= now ? staleFrom : .max)
        return time == .max ? nil : time
    }

    @inlinable @inline(__always)
    mutating func recordStored(_ times: StoredTimes) {
        stored = times.stored
        staleFrom = times.staleFrom
    }

    mutating func markStale(at now: Time, version: UInt64) {
        staleVersion = version
        staleTime = min(now, staleFrom)
    }
}

/// The times of a value that is exchanged in place.
@usableFromInline
struct ExchangeTimes {
    @usableFromInline let times: StoredTimes
    @usableFromInline let own: LifetimeRules.OwnTimes
    /// `true` if the times are all that has to be recorded.
    @usableFromInline let isComplete: Bool

    @usableFromInline
    init(times: StoredTimes, own: LifetimeRules.OwnTimes, isComplete: Bool) {
        self.times = times
        self.own = own
        self.isComplete = isComplete
    }
}

@usableFromInline
struct StoredTimes {
    @usableFromInline let stored: Time
    /// The time from which on the value is stale.
    @usableFromInline let staleFrom: Time

    @usableFromInline
    init(stored: Time, staleFrom: Time) {
        self.stored = stored
        self.staleFrom = staleFrom
    }
}
