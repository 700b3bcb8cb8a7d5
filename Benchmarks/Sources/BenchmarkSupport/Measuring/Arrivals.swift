import Dispatch
import Synchronization

/// Counts what arrives on other threads, and lets a thread wait for it.
final class Arrivals: Sendable {
    private let arrived = Atomic<Int>(0)
    private let expected = Atomic<Int>(0)
    private let haveArrived = DispatchSemaphore(value: 0)

    var count: Int { arrived.load(ordering: .relaxed) }

    /// Counts one.
    func add() {
        let count = arrived.add(1, ordering: .acquiringAndReleasing).newValue
        if count == expected.load(ordering: .relaxed) { haveArrived.signal() }
    }

    /// Does something that sends so many on their way, and returns when they have arrived.
    ///
    /// Traps if they have not after a minute.
    func wait(for number: Int, of body: () -> Void) {
        expected.store(count + number, ordering: .relaxed)
        body()
        let outcome = haveArrived.wait(timeout: .now() + .seconds(60))
        precondition(outcome == .success, "Some never arrived: there are \(count) in all.")
    }
}
