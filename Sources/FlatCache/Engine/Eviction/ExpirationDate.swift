/// A function that returns when values expire, as instants of a clock.
protocol ExpirationDate<Value>: Sendable {
    associatedtype Value

    /// Returns the function with times of a timeline, or `nil` if the timeline belongs to another
    /// clock.
    func times(on timeline: any Timeline) -> (@Sendable (Value) -> Time?)?

    var instantType: Any.Type { get }
}

/// A function that returns times of the cache's own timeline.
struct TimeDate<Value>: ExpirationDate {
    let instantType: Any.Type
    let time: @Sendable (Value) -> Time?

    func times(on timeline: any Timeline) -> (@Sendable (Value) -> Time?)? { time }
}

struct InstantExpirationDate<Value, Instant: InstantProtocol>: ExpirationDate
where Instant.Duration == Duration {
    let expiration: @Sendable (Value) -> Instant?

    var instantType: Any.Type { Instant.self }

    func times(on timeline: any Timeline) -> (@Sendable (Value) -> Time?)? {
        guard let time = timeline.timeFunction(of: Instant.self) else { return nil }
        return { [expiration] value in expiration(value).map(time) }
    }
}
