/// The eviction policy of a type, whatever the type.
protocol AnyEvictionPolicy: Sendable {
    /// Traps if values expire at instants of another clock than the cache's.
    func checkClock(_ timeline: any Timeline)

    var expires: Bool { get }
}
