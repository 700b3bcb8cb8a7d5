import FlatCache

/// Finds out whether calls overlap that must come one at a time.
package final class OverlapCounter: Sendable {
    private let state = Locked((inside: 0, most: 0))

    package init() {}

    /// How many have been inside at the same time, at most.
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
