import Foundation
import Synchronization

@testable import FlatCacheTestSupport

/// A pause that lets other threads run, so that calls overlap.
struct Pause: Sendable {
    // The optimizer can't remove loads of this atomic.
    private static let idle = Atomic<Int>(0)

    /// A pause in which other threads can begin and complete calls.
    static let long = Pause(turns: 0, yields: 50)

    static let none = Pause(turns: 0, yields: 0)

    /// The number of busy-waiting steps.
    let turns: Int
    /// The number of times that the thread yields the processor.
    let yields: Int

    func take() {
        for _ in 0..<turns { _ = Self.idle.load(ordering: .acquiring) }
        for _ in 0..<yields { sched_yield() }
    }
}
