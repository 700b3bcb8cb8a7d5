#if canImport(CPostgres)
import FlatCache

/// The writes that have begun and not ended.
final class ActiveWrites: Sendable {
    private struct State {
        var count = 0
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    func begin() { state.withLock { $0.count += 1 } }

    func finish() {
        let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
            state.count -= 1
            return state.count == 0 ? state.waiting.take() : nil
        }
        waiting?.resume()
    }

    /// Waits until there is none.
    func end() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.count > 0 { state.waiting = continuation }
                return state.count == 0
            }
            if isDone { continuation.resume() }
        }
    }
}
#endif
