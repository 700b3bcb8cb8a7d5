#if os(Linux)
/// From which pressure on memory counts as short, each in percent of the last ten seconds.
///
/// What is usual on a machine differs; `/proc/pressure/memory` shows it, as `avg10`.
public struct MemoryPressureThresholds: Hashable, Sendable {
    /// How much of the time at least one task has stood still for lack of memory, in percent, when
    /// memory is short: the `avg10` of the line `some`.
    public var warning: Double

    /// How much of the time all tasks that had work have stood still at once for lack of memory, in
    /// percent, when memory is very short: the `avg10` of the line `full`.
    public var critical: Double

    /// Creates thresholds.
    ///
    /// - Parameters:
    ///   - warning: A percentage of time above 0 and at most 100, in which at least one task has
    ///     stood still.
    ///   - critical: A percentage of time above 0 and at most 100, in which all tasks have. It may
    ///     be less than the other: all stand still for at most as long as one does.
    public init(warning: Double = 10, critical: Double = 20) {
        self.warning = warning
        self.critical = critical
    }

    func check() {
        for percentage in [warning, critical] {
            precondition(
                percentage > 0 && percentage <= 100,
                """
                Memory pressure has no threshold of \(percentage) percent: give more than 0 and at \
                most 100.
                """
            )
        }
    }
}
#endif
