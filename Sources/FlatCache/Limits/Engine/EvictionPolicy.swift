/// The limit of a type, and the rules by which its values become stale and expire.
struct EvictionPolicy<Value: Identifiable & Sendable>: AnyEvictionPolicy
where Value.ID: Sendable {
    let limit: CacheLimit<Value>
    let staleness: CacheStaleness<Value>
    let expiration: CacheExpiration<Value>

    init(
        _ limit: CacheLimit<Value> = .unlimited,
        staleAfter staleness: CacheStaleness<Value> = .never,
        expires expiration: CacheExpiration<Value> = .never
    ) {
        self.limit = limit
        self.staleness = staleness
        self.expiration = expiration
    }

    /// The rules, with lifetimes in nanoseconds.
    var rules: LifetimeRules {
        let staleness: LifetimeRules.Staleness =
            switch staleness.rule {
            case .never: .never
            case .after(let lifetime): .afterWrite(max(1, lifetime.nanoseconds))
            case .at: .atOwnTime
            }
        let expiration: LifetimeRules.Expiration =
            switch expiration.rule {
            case .never: .never
            case .afterWrite(let lifetime): .afterWrite(max(1, lifetime.nanoseconds))
            case .afterAccess(let time): .afterAccess(max(1, time.nanoseconds))
            case .at: .atOwnTime
            }
        return LifetimeRules(staleness: staleness, expiration: expiration)
    }

    /// Returns whether the maximum number of values is the only possible difference between two
    /// policies.
    ///
    /// Closures, such as those of costs, can't be compared, so policies with closures differ.
    func differsOnlyInCount(from other: EvictionPolicy) -> Bool {
        limit.cost == nil && other.limit.cost == nil && staleness.isSame(as: other.staleness)
            && expiration.isSame(as: other.expiration)
    }

    /// Returns the function that returns when a value becomes stale, or `nil` if values don't
    /// contain these times.
    func staleTime(on timeline: any Timeline) -> (@Sendable (Value) -> Time?)? {
        if case .at(let date) = staleness.rule { date.times(on: timeline) } else { nil }
    }

    /// Returns the function that returns when a value expires, or `nil` if values don't contain
    /// these times.
    func expirationTime(on timeline: any Timeline) -> (@Sendable (Value) -> Time?)? {
        if case .at(let date) = expiration.rule { date.times(on: timeline) } else { nil }
    }

    func checkClock(_ timeline: any Timeline) {
        if case .at(let date) = staleness.rule { check(date, timeline, "become stale") }
        if case .at(let date) = expiration.rule { check(date, timeline, "expire") }
    }

    private func check(_ date: any ExpirationDate<Value>, _ timeline: any Timeline, _ verb: String)
    {
        precondition(
            date.instantType == timeline.instantType,
            """
            Values of \(Value.self) \(verb) at instants of the type \
            \(String(reflecting: date.instantType)), but the cache's clock has instants of the type \
            \(String(reflecting: timeline.instantType)). Return instants of that clock, or \
            give the cache the clock of the other instants.
            """
        )
    }
}

protocol AnyEvictionPolicy: Sendable {
    /// Traps if values have instants of another clock than the cache's.
    func checkClock(_ timeline: any Timeline)
}

/// The eviction policies of all types that a cache's configuration names.
struct EvictionPolicies: @unchecked Sendable {
    // All properties are constant. The writers' lock guards the wake time. This type only passes it
    // on to tables.

    let policies: [ObjectIdentifier: any AnyEvictionPolicy]
    let timeline: any Timeline
    let wakeTime: WakeTime

    var isEmpty: Bool { policies.isEmpty }

    init(_ configuration: CacheConfiguration) {
        policies = configuration.policies
        timeline = configuration.clock.timeline
        wakeTime = WakeTime()
        for policy in policies.values { policy.checkClock(timeline) }
    }

    /// Applies the policy of its type to a new table that isn't in use yet.
    func apply<Value: Identifiable & Sendable>(to table: Table<Value>) where Value.ID: Sendable {
        guard let policy = policies[table.typeIdentifier] as? EvictionPolicy<Value> else { return }
        table.beginLimiting(policy, timeline, wakeTime)
    }
}

/// The rules by which the values of a table become stale and expire, with lifetimes in nanoseconds.
@usableFromInline
struct LifetimeRules: Sendable {
    enum Staleness: Sendable {
        case never
        case afterWrite(Int64)
        /// Each value has its own time, or remains fresh.
        case atOwnTime
    }

    enum Expiration: Sendable {
        case never
        case afterWrite(Int64)
        case afterAccess(Int64)
        /// Each value has its own time, or doesn't expire.
        case atOwnTime
    }

    /// The times that a value contains, for rules that ask for them.
    @usableFromInline
    struct OwnTimes {
        var stale: Time?
        var expiration: Time?

        @usableFromInline
        init(stale: Time?, expiration: Time?) {
            self.stale = stale
            self.expiration = expiration
        }

        @inlinable static var none: OwnTimes { OwnTimes(stale: nil, expiration: nil) }
    }

    let staleness: Staleness
    let expiration: Expiration

    /// `true` if values become stale or expire.
    var isTimed: Bool {
        if case .never = staleness, case .never = expiration { false } else { true }
    }

    /// `true` if a value can contain its own times.
    @usableFromInline var hasOwnTimes: Bool {
        if case .atOwnTime = staleness { return true }
        if case .atOwnTime = expiration { return true }
        return false
    }

    /// Returns the time at which a value that is stored now becomes stale.
    ///
    /// An expired value that is kept because it's in use is stale too. With `.afterAccess`, no
    /// value in use expires.
    @usableFromInline
    func staleTime(storedAt now: Time, _ own: OwnTimes) -> Time {
        let stale: Time =
            switch staleness {
            case .never: .max
            case .afterWrite(let lifetime): now.advanced(by: lifetime)
            case .atOwnTime: own.stale ?? .max
            }
        switch expiration {
        case .never, .afterAccess: return stale
        case .afterWrite(let lifetime): return min(stale, now.advanced(by: lifetime))
        case .atOwnTime: return min(stale, own.expiration ?? .max)
        }
    }

    func expiration(storedAt now: Time, _ own: OwnTimes) -> Time {
        switch expiration {
        case .never: .max
        case .afterWrite(let lifetime), .afterAccess(let lifetime): now.advanced(by: lifetime)
        case .atOwnTime: own.expiration ?? .max
        }
    }
}
