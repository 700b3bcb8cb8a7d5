/// The limit and the expiration of a type.
struct EvictionPolicy<Value: Identifiable & Sendable>: AnyEvictionPolicy
where Value.ID: Sendable {
    let limit: CacheLimit<Value>
    let expiration: CacheExpiration<Value>

    init(_ limit: CacheLimit<Value>, _ expiration: CacheExpiration<Value>) {
        self.limit = limit
        self.expiration = expiration
    }

    /// The rule of expiration, with lifetimes in nanoseconds.
    var expirationRule: ExpirationRule {
        switch expiration.rule {
        case .never: .never
        case .afterWrite(let lifetime): .afterWrite(max(1, lifetime.nanoseconds))
        case .afterAccess(let time): .afterAccess(max(1, time.nanoseconds))
        case .at: .atOwnTime
        }
    }

    /// Returns the function that returns when a value expires, or `nil` if values have no times of
    /// their own.
    func expirationTime(on timeline: any Timeline) -> (@Sendable (Value) -> Time?)? {
        if case .at(let date) = expiration.rule { date.times(on: timeline) } else { nil }
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
            \(String(reflecting: date.instantType)), but the cache's clock has instants of the type \
            \(String(reflecting: timeline.instantType)). Return instants of that clock, or \
            give the cache the clock of the other instants.
            """
        )
    }
}
