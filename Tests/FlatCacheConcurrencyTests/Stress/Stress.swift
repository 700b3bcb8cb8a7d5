import Synchronization

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Runs each writer once on a thread of its own, and calls the readers in a loop on other threads.
///
/// The writers start after each reader has run once. Each reader runs at least once more after the
/// last write.
///
/// - Returns: `true` if all threads ended in time.
func underStress(
    writers: [@Sendable () -> Void],
    readers: [@Sendable () -> Void]
) -> Bool {
    let writing = Atomic<Int>(writers.count)
    let begun = readers.map { _ in Signal() }
    let work: @Sendable (Int) -> Void = { thread in
        if thread < writers.count {
            guard begun.allSatisfy({ $0.wait() }) else { return }
            writers[thread]()
            writing.subtract(1, ordering: .sequentiallyConsistent)
            return
        }
        let reader = thread - writers.count
        var isLast = false
        repeat {
            isLast = writing.load(ordering: .sequentiallyConsistent) == 0
            readers[reader]()
            begun[reader].fire()
        } while !isLast
    }
    let threads = (0..<writers.count + readers.count).map { thread in
        RunningThread { work(thread) }
    }
    // `wait` allows for a sanitizer, under which the threads take many times as long.
    return threads.allSatisfy { $0.wait() }
}
