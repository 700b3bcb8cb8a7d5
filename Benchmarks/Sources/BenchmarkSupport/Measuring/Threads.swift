import Dispatch
import Foundation
import Synchronization

/// Runs code on several threads at once.
enum Threads {
    /// Runs a closure on threads, each with its number, and returns how many nanoseconds pass from the moment at which all threads begin to the one at
    /// which the last of them ends.
    ///
    /// The calling thread is one of them, so that none is left over that would take a core.
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

/// Lets threads go at the same moment: they spin, since to wake a sleeping one takes long.
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

/// The latest of the moments that threads note.
private final class LastMoment: Sendable {
    private let moment = Atomic<UInt64>(0)

    var latest: UInt64 { moment.load(ordering: .acquiring) }

    func note(_ now: UInt64) { moment.max(now, ordering: .acquiringAndReleasing) }
}
