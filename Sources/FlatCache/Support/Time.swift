/// A point in time: the number of nanoseconds since the creation of a cache.
///
/// Spans of time are numbers of nanoseconds.
@usableFromInline
struct Time: Hashable, Comparable, Sendable {
    @usableFromInline let nanoseconds: Int64

    @inlinable @inline(__always)
    init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    static var start: Time { Time(nanoseconds: 0) }
    static var min: Time { Time(nanoseconds: .min) }
    static var max: Time { Time(nanoseconds: .max) }

    @inlinable @inline(__always)
    static func == (left: Time, right: Time) -> Bool { left.nanoseconds == right.nanoseconds }

    @inlinable @inline(__always)
    static func < (left: Time, right: Time) -> Bool { left.nanoseconds < right.nanoseconds }

    @inlinable @inline(__always)
    static func >= (left: Time, right: Time) -> Bool { left.nanoseconds >= right.nanoseconds }

    /// Returns the time after a number of nanoseconds, or the nearest time if there's none.
    func advanced(by span: Int64) -> Time {
        let (sum, overflows) = nanoseconds.addingReportingOverflow(span)
        return overflows ? (span < 0 ? .min : .max) : Time(nanoseconds: sum)
    }

    /// Returns the nanoseconds since another time, clamped to the range of the type.
    func nanoseconds(since other: Time) -> Int64 {
        let (difference, overflows) = nanoseconds.subtractingReportingOverflow(other.nanoseconds)
        return overflows ? (other.nanoseconds < 0 ? .max : .min) : difference
    }
}

/// A time that never goes back, derived from the readings of a clock that may be set back.
///
/// When the clock is set back, the time continues from the latest reading, so that no value lives
/// longer or becomes fresher.
struct SteadyTime {
    /// The latest reading.
    private var latest = Time.min
    /// The difference between the time and the clock, in nanoseconds.
    private(set) var offset: Int64 = 0

    mutating func time(at reading: Time) -> Time {
        if reading < latest {
            let (sum, overflows) =
                offset.addingReportingOverflow(latest.nanoseconds(since: reading))
            offset = overflows ? .max : sum
        }
        latest = reading
        return reading.advanced(by: offset)
    }
}

/// A clock of any type, with times relative to the creation of a cache.
protocol Timeline: AnyObject, Sendable {
    var now: Time { get }

    /// Sleeps until a time, or until the task is cancelled.
    func sleep(until time: Time) async throws

    /// Returns a function that converts instants to times, or `nil` if the instants belong to
    /// another clock.
    func timeFunction<Instant>(of type: Instant.Type) -> (@Sendable (Instant) -> Time)?

    var instantType: Any.Type { get }
}

final class ClockTimeline<C: Clock<Duration>>: Timeline {
    private let clock: C
    private let start: C.Instant
    /// The state that keeps the time from going back, or `nil` if the clock never goes back.
    private let steady: Locked<SteadyTime>?

    init(_ clock: C) {
        self.clock = clock
        start = clock.now
        let neverGoesBack = clock is ContinuousClock || clock is SuspendingClock
        steady = neverGoesBack ? nil : Locked(SteadyTime())
    }

    private var reading: Time { Time(nanoseconds: start.duration(to: clock.now).nanoseconds) }

    var now: Time { present.time }

    /// The present time, and the reading of the clock that it's derived from.
    private var present: (time: Time, reading: Time) {
        guard let steady else {
            let reading = reading
            return (reading, reading)
        }
        // Reading the clock under the lock makes sure that readings are compared in the order in
        // which they're taken.
        return steady.withLock {
            let reading = reading
            return ($0.time(at: reading), reading)
        }
    }

    /// The longest duration of a single sleep, in nanoseconds.
    ///
    /// If the clock is set back during a sleep, the sleep takes longer. Besides, clocks can't add
    /// centuries to the current time.
    private var maximumSleep: Int64 { steady == nil ? 3_000_000_000_000_000_000 : 60_000_000_000 }

    func sleep(until time: Time) async throws {
        var present = present
        // The loop calls the clock even if the time has passed, because only the clock decides when
        // tasks wake.
        repeat {
            let left = time.nanoseconds(since: present.time)
            let end = present.reading.advanced(by: min(left, maximumSleep))
            try await clock.sleep(
                until: start.advanced(by: .nanoseconds(end.nanoseconds)),
                tolerance: nil
            )
            present = self.present
        } while time > present.time
    }

    func timeFunction<Instant>(of type: Instant.Type) -> (@Sendable (Instant) -> Time)? {
        let time: @Sendable (C.Instant) -> Time = { [start, steady] instant in
            let reading = Time(nanoseconds: start.duration(to: instant).nanoseconds)
            return reading.advanced(by: steady?.withLock { $0.offset } ?? 0)
        }
        return time as? @Sendable (Instant) -> Time
    }

    var instantType: Any.Type { C.Instant.self }
}

extension Clock<Duration> {
    var timeline: any Timeline { ClockTimeline(self) }
}

extension Duration {
    /// The whole nanoseconds, clamped to the range of the type.
    var nanoseconds: Int64 {
        // Uses the processor's division if the quotient has less than 64 bits.
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

/// The earliest time at which a value is due, if the timer doesn't know that time yet.
///
/// The writers' lock guards it.
final class WakeTime {
    @exclusivity(unchecked) private var earliest = Time.max
    /// The time that was taken last, at which the timer wakes at the latest.
    ///
    /// Later times are offered again at that time.
    @exclusivity(unchecked) private var known = Time.max

    /// Keeps a time if it is earlier than the known ones.
    func offer(_ time: Time?) {
        if let time, time < earliest, time < known { earliest = time }
    }

    /// Returns the earliest time offered since the last call, or `nil` if the timer already knows
    /// it.
    func take() -> Time? {
        guard earliest != .max else { return nil }
        known = earliest
        earliest = .max
        return known
    }

    /// Forgets the time that the timer knows, so that an offer of a later time counts again.
    ///
    /// After this call, offer the next times of all tables.
    func forgetKnownTime() { known = .max }
}
