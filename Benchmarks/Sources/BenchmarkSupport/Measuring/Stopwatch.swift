import Dispatch
import Foundation
import Synchronization

/// Measures time.
///
/// Operations on one thread are measured in processor time of the whole process, which includes
/// work on other threads. Unlike wall-clock time, it doesn't include the work of other processes,
/// which on a busy machine can be more than the measured work. On an idle machine the two are the
/// same, since operations measured this way never wait.
///
/// The interaction of threads can only be measured in wall-clock time.
public enum Stopwatch {
    /// A Boolean value that indicates whether all measurements use wall-clock time.
    public static var usesWallClockOnly: Bool {
        get { wallClockOnly.load(ordering: .relaxed) }
        set { wallClockOnly.store(newValue, ordering: .relaxed) }
    }

    private static let wallClockOnly = Atomic<Bool>(false)

    /// The nanoseconds of a monotonic clock.
    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Returns the number of nanoseconds per operation, for a closure that carries out the
    /// operations on the calling thread.
    static func nanoseconds(per operations: Int, _ body: () -> Void) -> Double {
        time(of: body).nanoseconds / Double(max(1, operations))
    }

    /// Returns the result of a closure that works on the calling thread, and its time.
    ///
    /// The time doesn't include the release of the result.
    static func time<Result>(
        of body: () throws -> Result
    ) rethrows -> (result: Result, nanoseconds: Double) {
        let start = usesWallClockOnly ? now : processorTime
        let result = try body()
        let end = usesWallClockOnly ? now : processorTime
        return (result, Double(end - start))
    }

    /// The processor time of all threads of this process, in nanoseconds.
    private static var processorTime: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
