/// What a cache is made with: where it calls observers, what it keeps, and by which clock.
///
/// ```swift
/// var configuration = CacheConfiguration()
/// configuration.limit(Book.self, .count(1_000), expires: .afterWrite(.seconds(600)))
/// let cache = Cache(configuration: configuration)
/// ```
public struct CacheConfiguration: Sendable {
    /// Where and when observers and completions of batches are called; at once, by a thread that
    /// commits, unless something else is given.
    public var delivery: CacheDelivery

    /// The clock by which values expire.
    ///
    /// The default goes on while the machine sleeps; `SuspendingClock` does not.
    public var clock: any Clock<Duration>

    /// What is kept of the types that have been configured.
    private(set) var policies: [ObjectIdentifier: any RetentionPolicyType] = [:]

    /// Creates a configuration in which all is kept for ever.
    ///
    /// - Parameters:
    ///   - delivery: Where and when observers and completions of batches are called.
    ///   - clock: The clock by which values expire. Give another one than the default to have tests that
    ///     don't sleep.
    public init(
        delivery: CacheDelivery = .inline,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.delivery = delivery
        self.clock = clock
    }

    /// Says what is kept of a type, and for how long.
    ///
    /// Types that this is not called for are kept for ever; of one that it is called for again the
    /// last call counts.
    ///
    /// - Parameters:
    ///   - type: The type under which the values are stored.
    ///   - limit: The number or cost of values to keep.
    ///   - expiration: When its values expire.
    public mutating func limit<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        _ limit: CacheLimit<Value>,
        expires expiration: CacheExpiration<Value> = .never
    ) where Value.ID: Sendable {
        policies[ObjectIdentifier(type)] = RetentionPolicy(limit, expiration)
    }
}

/// What is kept of a type, whatever that is.
protocol RetentionPolicyType: Sendable {
    /// Traps if values say when they expire by another clock than the cache's.
    func checkClock(_ timeline: any Timeline)

    var expires: Bool { get }
}

/// What is kept of a type, and for how long.
struct RetentionPolicy<Value: Identifiable & Sendable>: RetentionPolicyType
where Value.ID: Sendable {
    let limit: CacheLimit<Value>
    let expiration: CacheExpiration<Value>

    init(_ limit: CacheLimit<Value>, _ expiration: CacheExpiration<Value>) {
        self.limit = limit
        self.expiration = expiration
    }

    var expires: Bool {
        if case .never = expiration.rule { false } else { true }
    }

    func checkClock(_ timeline: any Timeline) {
        guard case .at(let date) = expiration.rule else { return }
        precondition(
            date.instantType == timeline.instantType,
            """
            Values of \(Value.self) expire at instants of the type \
            \(String(reflecting: date.instantType)), but those of the cache's clock are of the type \
            \(String(reflecting: timeline.instantType)). Return instants of that clock, or give the \
            cache the clock that they are of.
            """
        )
    }
}
