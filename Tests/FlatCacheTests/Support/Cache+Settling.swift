@testable import FlatCache

extension Cache {
    /// Waits until all notifications have been made; returns whether they are within a generous
    /// time.
    ///
    /// Where several threads commit, the last ones may be left to a thread of the queue's own.
    func isSettled() -> Bool { eventually { core.deliveryQueue.backlog == 0 } }
}
