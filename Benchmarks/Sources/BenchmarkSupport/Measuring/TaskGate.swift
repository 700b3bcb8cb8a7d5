import Synchronization

/// A gate for one task, which opens after a number of arrivals.
final class TaskGate: Sendable {
    private struct State {
        var missing: Int
        var waiter: UnsafeContinuation<Void, Never>?
    }

    private let state: Mutex<State>

    /// Creates a gate that opens after a number of arrivals.
    init(openingAfter count: Int) {
        state = Mutex(State(missing: count))
    }

    /// Counts one arrival.
    func arrive() {
        let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            state.missing -= 1
            return state.missing == 0 ? state.waiter.take() : nil
        }
        waiter?.resume()
    }

    /// Waits until the gate is open.
    func wait() async {
        await withUnsafeContinuation { continuation in
            let isOpen = state.withLock { state in
                if state.missing > 0 { state.waiter = continuation }
                return state.missing <= 0
            }
            if isOpen { continuation.resume() }
        }
    }
}
