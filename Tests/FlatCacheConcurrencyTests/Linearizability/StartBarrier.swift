import Foundation
import Synchronization

@testable import FlatCacheTestSupport

/// A barrier at which the threads of a run meet before each history, so that they begin it
/// together.
final class StartBarrier: Sendable {
    private let threadCount: Int
    private let arrivals = Atomic<Int>(0)
    private let abandoned = Atomic<Bool>(false)

    init(threadCount: Int) {
        self.threadCount = threadCount
    }

    /// Waits until all threads have arrived as often as this one.
    ///
    /// - Parameter round: The number of earlier calls by this thread.
    /// - Returns: `false` if the run was abandoned because a thread hangs.
    func wait(round: Int) -> Bool {
        arrivals.add(1, ordering: .acquiringAndReleasing)
        var patience = 100
        while arrivals.load(ordering: .acquiring) < (round + 1) * threadCount {
            if abandoned.load(ordering: .relaxed) { return false }
            // A thread that yields starts late, so it spins first. It yields later because the
            // missing thread may need the processor.
            if patience > 0 { patience -= 1 } else { sched_yield() }
        }
        return true
    }

    /// Releases the threads that wait for a hanging one.
    func abandon() { abandoned.store(true, ordering: .relaxed) }
}
