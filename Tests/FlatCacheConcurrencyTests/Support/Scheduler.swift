import FlatCache

@testable import FlatCacheTestSupport

/// The ways in which a delivery may run its closures.
enum Scheduler: CaseIterable, Sendable {
    case inline
    /// On the same thread, before the delivery returns.
    case atOnce
    /// On a new thread each time.
    case onNewThreads
    /// On a new thread each time, for which the delivery waits.
    case onNewThreadsInTurn
    case onActor

    var delivery: CacheDelivery {
        switch self {
        case .inline: .inline
        case .atOnce: CacheDelivery { $0() }
        case .onNewThreads: CacheDelivery { work in _ = RunningThread { work() } }
        case .onNewThreadsInTurn:
            CacheDelivery { work in _ = RunningThread(stackSize: 1 << 19) { work() }.wait() }
        case .onActor: .isolated(to: Home())
        }
    }

    private actor Home {}
}
