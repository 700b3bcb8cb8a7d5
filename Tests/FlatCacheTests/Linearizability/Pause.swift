import Foundation
import Synchronization

/// A moment in which other threads go on, so that calls meet in the middle.
struct Pause: Sendable {
    // Loading it cannot be optimized away.
    private static let idle = Atomic<Int>(0)

    /// Long enough for other threads to begin and end calls meanwhile.
    static let long = Pause(turns: 0, yields: 50)

    static let none = Pause(turns: 0, yields: 0)

    /// How often the thread idles.
    let turns: Int
    /// How often the thread lets others have the processor.
    let yields: Int

    func take() {
        for _ in 0..<turns { _ = Self.idle.load(ordering: .acquiring) }
        for _ in 0..<yields { sched_yield() }
    }
}
