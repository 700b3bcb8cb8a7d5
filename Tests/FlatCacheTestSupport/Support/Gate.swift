import FlatCache

/// A gate at which the first thread waits until the test opens it.
final class Gate: Sendable {
    private let arrival = Signal()
    private let opening = Signal()
    private let hasArrived = Locked(false)

    /// A Boolean value that indicates whether a thread waits at the gate or has passed it.
    var isReached: Bool { arrival.isFired }

    func open() { opening.fire() }

    /// Waits if no thread has passed before.
    func pass() {
        let isFirst = hasArrived.withLock { hasArrived in
            defer { hasArrived = true }
            return !hasArrived
        }
        guard isFirst else { return }
        arrival.fire()
        _ = opening.wait()
    }
}
