#if canImport(CPostgres)
import FlatCache

/// The writes that have begun and not ended.
final class ActiveWrites: Sendable {
    private struct State {
        /// The number of times that a graph has ended.
        var endCount = 0
        /// The numbers of writes, by the number of ends before them.
        var counts: [Int: Int] = [:]
        var waiting: CheckedContinuation<Void, Never>?

        /// `true` if all writes that began before the latest end have finished.
        var isDone: Bool { counts.keys.allSatisfy { $0 == endCount } }
    }

    private let state = Locked(State())

    /// `true` while an end waits for writes.
    var isEnding: Bool { state.withLock { $0.waiting != nil } }

    /// Records the beginning of a write, and returns the number to pass to ``finish(_:)``.
    func begin() -> Int {
        state.withLock { state in
            state.counts[state.endCount, default: 0] += 1
            return state.endCount
        }
    }

    func finish(_ number: Int) {
        let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
            state.counts[number, default: 0] -= 1
            if state.counts[number] == 0 { state.counts[number] = nil }
            return state.isDone ? state.waiting.take() : nil
        }
        waiting?.resume()
    }

    /// Waits for the writes that have begun by now, and not for later ones.
    func end() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                state.endCount += 1
                if !state.isDone { state.waiting = continuation }
                return state.isDone
            }
            if isDone { continuation.resume() }
        }
    }
}
#endif
