import Foundation

extension SplitMix64 {
    /// Lets other threads and processes run for a random number of turns.
    ///
    /// A loop that calls the method meets other threads at moments that vary.
    package mutating func yieldThread(atMost count: Int) {
        for _ in 0..<number(in: 0...count) { sched_yield() }
    }
}
