/// The eviction policy of any type.
protocol AnyEvictionPolicy: Sendable {
    /// Traps if values have instants of another clock than the cache's.
    func checkClock(_ timeline: any Timeline)
}
