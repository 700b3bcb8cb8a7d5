#if canImport(SQLite3) || canImport(CSQLite)
extension Clock<Duration> {
    func startStopwatch() -> @Sendable () -> Duration {
        let start = now
        return { [self] in start.duration(to: now) }
    }

    /// Begins an interval at the present instant, and returns a closure that sleeps until its end.
    ///
    /// A task would compute the end too late, since it begins after its creation.
    func beginInterval(_ duration: Duration) -> @Sendable () async -> Void {
        // Clocks overflow if the instant is centuries away.
        let end = now.advanced(by: min(max(duration, .zero), .seconds(3_000_000_000)))
        // A clock that fails to sleep ends the interval at once.
        return { [self] in try? await sleep(until: end, tolerance: nil) }
    }
}
#endif
