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
        if case .afterWrite(let time) = staleness.rule {
            precondition(time > .zero, "Values cannot stay fresh for \(time): give some time.")
        }
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

/// The rule by which values of a type become stale or expire.
enum LifetimeRule<Value>: Sendable {
    case never
    case afterWrite(Duration)
    case afterAccess(Duration)
    case at(OwnTime<Value>)

    /// The rule, with times in nanoseconds.
    var lifetime: Lifetime {
        switch self {
        case .never: .never
        case .afterWrite(let time): .afterWrite(max(1, time.nanoseconds))
        case .afterAccess(let time): .afterAccess(max(1, time.nanoseconds))
        case .at: .atOwnTime
        }
    }

    /// Returns whether two rules are known to be the same.
    ///
    /// Rules with functions never are.
    func isSame(as other: LifetimeRule) -> Bool {
        switch (self, other) {
        case (.never, .never): true
        case (.afterWrite(let time), .afterWrite(let otherTime)): time == otherTime
        case (.afterAccess(let time), .afterAccess(let otherTime)): time == otherTime
        default: false
        }
    }

    /// Returns the function that returns the time of a value, or `nil` if values don't contain it.
    func times(on timeline: any Timeline) -> (@Sendable (Value) -> Time?)? {
        if case .at(let time) = self { time.times(timeline) } else { nil }
    }

    /// Returns the end of the lifetime of a value that is stored now, or `nil` if it has none.
    func end(of value: Value, on timeline: any Timeline) -> Time? {
        switch self {
        case .never: nil
        case .afterWrite(let time), .afterAccess(let time):
            timeline.now.advanced(by: time.nanoseconds)
        case .at(let time): time.times(timeline)?(value)
        }
    }

    /// Traps if values have instants of another clock than the cache's.
    func checkClock(_ timeline: any Timeline, _ verb: String) {
        guard case .at(let time) = self else { return }
        precondition(
            time.instantType == timeline.instantType,
            """
            Values of \(Value.self) \(verb) at instants of the type \
            \(String(reflecting: time.instantType)), but the cache's clock has instants of the type \
            \(String(reflecting: timeline.instantType)). Return instants of that clock, or \
            give the cache the clock of the other instants.
            """
        )
    }
}

/// The time that a value contains, as an instant of a clock.
struct OwnTime<Value>: Sendable {
    let instantType: Any.Type
    /// Returns the function with times of a timeline, or `nil` if the timeline belongs to another
    /// clock.
    let times: @Sendable (any Timeline) -> (@Sendable (Value) -> Time?)?
}

extension OwnTime {
    init<Instant: InstantProtocol>(_ instant: @escaping @Sendable (Value) -> Instant?)
    where Instant.Duration == Duration {
        self.init(instantType: Instant.self) { timeline in
            guard let time = timeline.timeFunction(of: Instant.self) else { return nil }
            return { instant($0).map(time) }
        }
    }
}

/// A rule for the values of any type, with times in nanoseconds.
enum Lifetime: Sendable {
    case never
    case afterWrite(Int64)
    case afterAccess(Int64)
    /// Each value has its own time, or none.
    case atOwnTime

    /// Returns the end of the lifetime of a value that is stored now.
    ///
    /// - Parameter own: The time that the value contains.
    func end(storedAt now: Time, _ own: Time?) -> Time {
        switch self {
        case .never: .max
        case .afterWrite(let lifetime), .afterAccess(let lifetime): now.advanced(by: lifetime)
        case .atOwnTime: own ?? .max
        }
    }
}

/// The rules by which the values of a table become stale and expire.
@usableFromInline
struct LifetimeRules: Sendable {
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

    let staleness: Lifetime
    let expiration: Lifetime

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
        let stale = staleness.end(storedAt: now, own.stale)
        if case .afterAccess = expiration { return stale }
        return min(stale, expiration(storedAt: now, own))
    }

    func expiration(storedAt now: Time, _ own: OwnTimes) -> Time {
        expiration.end(storedAt: now, own.expiration)
    }
}
