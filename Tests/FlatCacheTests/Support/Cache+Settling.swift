@testable import FlatCache

extension Cache {
    /// Waits until all pending calls have been made.
    ///
    /// If several threads commit, a thread of the delivery queue may make the last calls.
    ///
    /// - Returns: `true` if all calls were made in time.
    func isSettled() -> Bool { eventually { core.deliveryQueue.backlog == 0 } }
}
