import Synchronization

/// The clock of a run: each reading is a number of its own, greater than all earlier ones.
final class HistoryClock: Sendable {
    private let ticks = Atomic<Int>(0)

    /// Reads the clock.
    ///
    /// Acquires and releases, so that nothing of a call comes before its invocation or after its
    /// response. That also orders calls that don't overlap, for the processor and for
    /// ThreadSanitizer; only calls that do can show that the subject orders too little.
    func tick() -> Int { ticks.add(1, ordering: .acquiringAndReleasing).newValue }
}
