#if os(Linux)
/// The result of the previous check of the memory pressure, for comparison with the next one.
struct MemoryStallHistory: Sendable {
    private var level: MemoryPressureLevel?
    private var stalls: MemoryStalls?

    /// Records a check.
    ///
    /// - Returns: The level of memory pressure if it's news: if it's higher than at the previous
    ///   check, or if tasks were stalled since. The average alone isn't enough, since it takes many
    ///   seconds to decline.
    mutating func newLevel(
        after stalls: MemoryStalls,
        _ thresholds: MemoryPressureThresholds
    ) -> MemoryPressureLevel? {
        let previous = (level: level, stalls: self.stalls)
        level = stalls.level(thresholds)
        self.stalls = stalls
        guard let level else { return nil }
        guard let previousLevel = previous.level, let previousStalls = previous.stalls,
            previousLevel >= level
        else { return level }
        let hasStalled =
            stalls.measure(for: level).total != previousStalls.measure(for: level).total
        return hasStalled ? level : nil
    }
}
#endif
