import Foundation

/// The longest of many operations, and the distribution of their times.
///
/// The longest operation is the one with the most processor time of its thread, which other
/// processes don't prolong. The distribution is of wall-clock time.
struct WorstCase {
    private(set) var longest: UInt64 = 0
    private(set) var times = LatencyHistogram()

    /// Carries out one operation and records its time.
    mutating func measure(_ operate: () -> Void) {
        let start = Stopwatch.now
        let processorStart = Self.processorTime
        operate()
        let processorEnd = Self.processorTime
        times.record(Stopwatch.now - start)
        longest = max(longest, processorEnd - processorStart)
    }

    /// The processor time of the calling thread, in nanoseconds.
    private static var processorTime: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
