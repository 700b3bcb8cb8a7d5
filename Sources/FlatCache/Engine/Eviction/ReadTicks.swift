/// The intervals, called ticks, by which a table records the times of reads.
///
/// A tick lasts until the table begins the next one, which may be late. All reads in a tick
/// therefore happened before its end. A plain value without locks or callbacks.
@usableFromInline
struct ReadTicks {
    /// The minimum length of a tick in nanoseconds, or `nil` if the times of reads make no
    /// difference.
    private let length: Int64?
    /// The number of the current tick.
    private var current = 0
    /// The time at which the current tick is over.
    @usableFromInline private(set) var nextTime: Time
    /// The times at which the latest ticks ended, by the remainders of their numbers.
    private var ends: [Time]

    /// The number of ticks in the time after which an unused value expires.
    private static var countPerLifetime: Int64 { 16 }

    /// Begins the first tick.
    init(of rule: LifetimeRules.Expiration, at now: @autoclosure () -> Time) {
        if case .afterAccess(let lifetime) = rule {
            let length = max(1, lifetime / Self.countPerLifetime)
            self.length = length
            nextTime = now().advanced(by: length)
            ends = Array(repeating: .start, count: EvictionMarks.tickCount)
        } else {
            length = nil
            nextTime = .max
            ends = []
        }
    }

    /// Begins a new tick if the current one is over, and returns the number of the new tick.
    mutating func begin(at now: Time) -> Int? {
        guard let length, now >= nextTime else { return nil }
        ends[current % ends.count] = now
        current += 1
        nextTime = now.advanced(by: length)
        return current
    }

    /// Returns the latest possible time of a read whose mark contains the remainder of a tick's
    /// number.
    func latestTime(ofMarked tick: Int, at now: Time) -> Time {
        tick == current % ends.count ? now : ends[tick]
    }
}
