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

    var rules: LifetimeRules {
        LifetimeRules(staleness: staleness.rule.lifetime, expiration: expiration.rule.lifetime)
    }

    /// `true` if no value has to leave the cache.
    var keepsAll: Bool {
        if limit.limit < .max { return false }
        return if case .never = expiration.rule { true } else { false }
    }

    /// Returns whether the maximum number of values is the only possible difference between two
    /// policies.
    ///
    /// Closures, such as those of costs, can't be compared, so policies with closures differ.
    func differsOnlyInCount(from other: EvictionPolicy) -> Bool {
        limit.cost == nil && other.limit.cost == nil
            && staleness.rule.isSame(as: other.staleness.rule)
            && expiration.rule.isSame(as: other.expiration.rule)
    }

    func checkClock(_ timeline: any Timeline) {
        staleness.rule.checkClock(timeline, "become stale")
        expiration.rule.checkClock(timeline, "expire")
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
