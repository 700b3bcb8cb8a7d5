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

    /// Returns the function that returns when a value becomes stale, or `nil` if values have no
    /// times of their own.
    func staleTime(on timeline: any Timeline) -> (@Sendable (Value) -> Time?)? {
        if case .at(let date) = staleness.rule { date.times(on: timeline) } else { nil }
    }

    /// Returns the function that returns when a value expires, or `nil` if values have no times of
    /// their own.
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
