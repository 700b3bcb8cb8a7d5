import Synchronization

@testable import FlatCacheTestSupport

/// The clock of a run.
///
/// Each reading is greater than all earlier ones.
final class HistoryClock: Sendable {
    private let ticks = Atomic<Int>(0)

    /// Reads the clock.
    ///
    /// The operation acquires and releases, so that no part of a call moves before its invocation
    /// or after its response. It therefore also orders calls that don't overlap, for the processor
    /// and for ThreadSanitizer. Only overlapping calls can show that the subject lacks
    /// synchronization.
    func tick() -> Int { ticks.add(1, ordering: .acquiringAndReleasing).newValue }
}
