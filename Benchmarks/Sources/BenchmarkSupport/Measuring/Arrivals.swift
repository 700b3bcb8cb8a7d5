import Dispatch
import Synchronization

/// Counts arrivals on other threads, and lets a thread wait for them.
final class Arrivals: Sendable {
    private let arrived = Atomic<Int>(0)
    private let expected = Atomic<Int>(0)
    private let haveArrived = DispatchSemaphore(value: 0)

    var count: Int { arrived.load(ordering: .relaxed) }

    /// Counts one arrival.
    func add() {
        let count = arrived.add(1, ordering: .acquiringAndReleasing).newValue
        if count == expected.load(ordering: .relaxed) { haveArrived.signal() }
    }

    /// Runs a closure that causes a number of arrivals, and returns after the last of them.
    ///
    /// Traps if they don't arrive within a minute.
    func wait(for number: Int, of body: () -> Void) {
        expected.store(count + number, ordering: .relaxed)
        body()
        let outcome = haveArrived.wait(timeout: .now() + .seconds(60))
        precondition(outcome == .success, "Some never arrived: there are \(count) in all.")
    }
}
