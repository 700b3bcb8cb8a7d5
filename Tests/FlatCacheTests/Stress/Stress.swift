import Synchronization

@testable import FlatCache

/// Runs writers on threads of their own until they end, and readers, again and again, meanwhile.
///
/// No writer begins before each reader has gone through once, and no reader ends before it has gone
/// through once more after the last write.
///
/// - Returns: Whether all ended within a generous time.
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
    // A sanitizer may take many times as long.
    return threads.allSatisfy { $0.wait() }
}
