#if os(Linux)
/// What the last look at the pressure has found, to know what is new at the next one.
struct MemoryStallHistory: Sendable {
    private var level: MemoryPressureLevel?
    private var stalls: MemoryStalls?

    /// Notes a look.
    ///
    /// - Returns: How short memory is, if that is news: if it is shorter than at the last look, or
    ///   if tasks have stood still since. The average alone does not tell: it takes many seconds to
    ///   sink.
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
