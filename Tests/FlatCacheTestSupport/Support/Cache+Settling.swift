import Testing
import Synchronization

@testable import FlatCache

extension Cache {
    /// Waits until all pending calls have been made and the cache's own threads have ended.
    ///
    /// If several threads commit, a thread of the delivery queue may make the last calls. If
    /// several threads end observations, another thread may remove the last ones.
    ///
    /// - Returns: `true` if all calls were made in time.
    func isSettled() -> Bool {
        blockUntil {
            #if TestHooks
            StateTracking.didRead(StateTracking.lockless)
            #endif
            return core.deliveryQueue.backlog == 0 && !core.isMaintained.load(ordering: .acquiring)
        }
    }
}
