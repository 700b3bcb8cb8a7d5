/// The time that has passed since a cache was made, in nanoseconds.
@usableFromInline typealias Time = Int64

/// A clock of any kind, as a cache uses it.
protocol Timeline: AnyObject, Sendable {
    var now: Time { get }

    /// Sleeps until a time, or until the task is cancelled.
    func sleep(until time: Time) async throws

    /// The function that gives the time of an instant; `nil` if instants of the type are not of this
    /// clock.
    func timeFunction<Instant>(of type: Instant.Type) -> (@Sendable (Instant) -> Time)?

    /// The type of the clock's instants.
    var instantType: Any.Type { get }
}

/// The timeline of a clock.
final class ClockTimeline<C: Clock<Duration>>: Timeline {
    private let clock: C
    private let start: C.Instant

    init(_ clock: C) {
        self.clock = clock
        start = clock.now
    }

    var now: Time { start.duration(to: clock.now).nanoseconds }

    func sleep(until time: Time) async throws {
        try await clock.sleep(until: start.advanced(by: .nanoseconds(time)), tolerance: nil)
    }

    func timeFunction<Instant>(of type: Instant.Type) -> (@Sendable (Instant) -> Time)? {
        let time: @Sendable (C.Instant) -> Time = { [start] in start.duration(to: $0).nanoseconds }
        return time as? @Sendable (Instant) -> Time
    }

    var instantType: Any.Type { C.Instant.self }
}

extension Clock<Duration> {
    var timeline: any Timeline { ClockTimeline(self) }
}

extension Duration {
    /// The whole nanoseconds; the greatest or smallest number if there are more than that.
    var nanoseconds: Int64 {
        // By the processor's own division, where the quotient has less than 64 bits.
        if _high >= 0, _high < 500_000_000 {
            let (quotient, _) = (1_000_000_000 as UInt64).dividingFullWidth((UInt64(_high), _low))
            return Int64(bitPattern: quotient)
        }
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowsToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        if overflows || overflowsToo { return seconds < 0 ? .min : .max }
        return sum
    }
}
