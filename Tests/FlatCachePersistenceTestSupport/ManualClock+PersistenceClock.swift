import Dispatch
import FlatCacheTesting
import Foundation

@testable import FlatCachePersistence

extension ManualClock: PersistenceClock {
    var elapsed: Duration { now.offset }

    /// Advances the clock, so that no test waits.
    func pause(for duration: Duration) {
        advance(by: duration)
        sched_yield()
    }

    func run(at time: Duration, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        Task {
            try await sleep(until: Instant(offset: time))
            queue.async(execute: body)
        }
    }
}
