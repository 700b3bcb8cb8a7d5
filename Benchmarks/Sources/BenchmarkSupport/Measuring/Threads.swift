import Dispatch
import Foundation
import Synchronization

/// Runs code on several threads concurrently.
enum Threads {
    /// Runs a closure on a number of threads, and returns the nanoseconds from the common start of
    /// the threads to the end of the last one.
    ///
    /// The calling thread is one of them, so that no additional thread uses a core.
    ///
    /// - Parameters:
    ///   - count: The number of threads.
    ///   - body: The closure, which receives the number of its thread.
    @discardableResult
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> UInt64 {
        let gate = Gate()
        let others = DispatchGroup()
        let ends = LastMoment()
        for number in 1..<max(1, count) {
            others.enter()
            start {
                gate.arrive()
                body(number)
                ends.note(Stopwatch.now)
                others.leave()
            }
        }
        gate.open(afterArrivals: count - 1)
        let begin = Stopwatch.now
        body(0)
        ends.note(Stopwatch.now)
        others.wait()
        return ends.latest - begin
    }

    /// Runs a closure on a thread of its own.
    static func start(_ body: @escaping @Sendable () -> Void) {
        Thread(block: body).start()
    }
}

/// Releases threads at the same moment.
///
/// They spin, since waking a sleeping thread takes long.
private final class Gate: Sendable {
    private let arrivals = Atomic<Int>(0)
    private let isOpen = Atomic<Bool>(false)

    func arrive() {
        arrivals.add(1, ordering: .acquiringAndReleasing)
        while !isOpen.load(ordering: .acquiring) {}
    }

    func open(afterArrivals count: Int) {
        while arrivals.load(ordering: .acquiring) < count {}
        isOpen.store(true, ordering: .releasing)
    }
}

/// The latest of the moments that threads record.
private final class LastMoment: Sendable {
    private let moment = Atomic<UInt64>(0)

    var latest: UInt64 { moment.load(ordering: .acquiring) }

    func note(_ now: UInt64) { moment.max(now, ordering: .acquiringAndReleasing) }
}
