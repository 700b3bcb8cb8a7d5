import FlatCache

/// A counter that detects overlapping calls.
package final class OverlapCounter: Sendable {
    private let state = Locked((inside: 0, most: 0))

    package init() {}

    /// The greatest number of simultaneous calls.
    package var most: Int { state.withLock { $0.most } }

    package func pass(_ body: () -> Void) {
        state.withLock { state in
            state.inside += 1
            state.most = max(state.most, state.inside)
        }
        body()
        state.withLock { $0.inside -= 1 }
    }
}
