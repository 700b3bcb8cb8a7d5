#if os(Linux)
/// The memory pressure at which a cache is trimmed, in percent of the last ten seconds.
///
/// ```swift
/// import FlatCache
/// import FlatCacheDispatch
///
/// let early = MemoryPressureThresholds(warning: 2, critical: 10)
/// let trimming = try cache.trimOnMemoryPressure(thresholds: early)
/// ```
///
/// Usual values differ between machines. `/proc/pressure/memory` shows them as `avg10`.
public struct MemoryPressureThresholds: Hashable, Sendable {
    /// The threshold for a warning: the percentage of time in which at least one task was stalled
    /// for lack of memory.
    ///
    /// It's compared with the `avg10` of the line `some`.
    ///
    /// For example, a threshold of 10 stands for one of the last ten seconds.
    public var warning: Double

    /// The threshold for critical pressure: the percentage of time in which all tasks with work to
    /// do were stalled at once for lack of memory.
    ///
    /// It's compared with the `avg10` of the line `full`.
    public var critical: Double

    /// Creates thresholds.
    ///
    /// - Parameters:
    ///   - warning: A percentage of time in which at least one task is stalled, above 0 and at most
    ///     100.
    ///   - critical: A percentage of time in which all tasks are stalled, above 0 and at most 100.
    ///     It may be less than `warning`, since at least one task is stalled whenever all tasks
    ///     are.
    public init(warning: Double = 10, critical: Double = 20) {
        self.warning = warning
        self.critical = critical
    }

    func check() {
        for percentage in [warning, critical] {
            precondition(
                percentage > 0 && percentage <= 100,
                """
                Memory pressure has no threshold of \(percentage) percent: use more than 0 and at \
                most 100.
                """
            )
        }
    }
}
#endif
