import Foundation
import Synchronization

/// Where the threads of a run meet before each history, so that they begin it at the same time.
final class StartingLine: Sendable {
    private let threadCount: Int
    private let arrivals = Atomic<Int>(0)
    private let abandoned = Atomic<Bool>(false)

    init(threadCount: Int) {
        self.threadCount = threadCount
    }

    /// Waits until all threads have arrived as often as this one.
    ///
    /// - Parameter round: How often the thread has been here before.
    /// - Returns: Whether they have; not if one of them does not come any more.
    func wait(round: Int) -> Bool {
        arrivals.add(1, ordering: .acquiringAndReleasing)
        var patience = 100
        while arrivals.load(ordering: .acquiring) < (round + 1) * threadCount {
            if abandoned.load(ordering: .relaxed) { return false }
            // Whoever yields comes late, but the one that is waited for may need the processor.
            if patience > 0 { patience -= 1 } else { sched_yield() }
        }
        return true
    }

    /// Lets those go that wait for a thread that hangs.
    func abandon() { abandoned.store(true, ordering: .relaxed) }
}
