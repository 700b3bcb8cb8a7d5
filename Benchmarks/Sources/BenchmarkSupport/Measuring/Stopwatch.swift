import Dispatch
import Foundation
import Synchronization

/// Measures time.
///
/// What happens on one thread is measured in processor time: that of the whole process, so that work
/// handed to another thread would count too. Unlike the time on the wall it does not contain what
/// other processes did meanwhile, which on a busy machine can be more than what is measured. On an
/// idle machine the two are the same, since nothing that is measured so ever waits.
///
/// What threads do to each other can only be seen on the wall.
public enum Stopwatch {
    /// Whether everything is measured on the wall.
    public static var usesWallClockOnly: Bool {
        get { wallClockOnly.load(ordering: .relaxed) }
        set { wallClockOnly.store(newValue, ordering: .relaxed) }
    }

    private static let wallClockOnly = Atomic<Bool>(false)

    /// Nanoseconds since some moment, on a clock on the wall that only goes forward.
    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Returns how many nanoseconds each of the operations takes that a closure carries out on the
    /// calling thread.
    static func nanoseconds(per operations: Int, _ body: () -> Void) -> Double {
        let start = usesWallClockOnly ? now : processorTime
        body()
        let end = usesWallClockOnly ? now : processorTime
        return Double(end - start) / Double(max(1, operations))
    }

    /// Nanoseconds that all threads of this process have run so far.
    private static var processorTime: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
