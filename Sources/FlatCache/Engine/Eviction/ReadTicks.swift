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
    /// The times at which the latest ticks ended, by their marks.
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

    /// Returns the latest time at which an entry with a mark can have been read.
    ///
    /// A mark is the number of a tick modulo `ends.count`. For example, with 64 marks, mark 3
    /// stands for the ticks 3, 67 and 131. The method returns the end of the latest of them.
    ///
    /// - Parameters:
    ///   - tick: The mark.
    ///   - now: The present time, which is the result for the current tick.
    func latestTime(ofMarked tick: Int, at now: Time) -> Time {
        tick == current % ends.count ? now : ends[tick]
    }
}
