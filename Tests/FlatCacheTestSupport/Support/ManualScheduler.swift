@testable import FlatCache

/// A scheduler that keeps the closures of a delivery until the test runs them.
final class ManualScheduler: Sendable {
    private let scheduled = Locked<[@Sendable () -> Void]>([])

    var delivery: CacheDelivery {
        CacheDelivery { [scheduled] work in scheduled.withLock { $0.append(work) } }
    }

    /// The number of waiting closures.
    var count: Int { scheduled.withLock { $0.count } }

    /// Runs the oldest closure, and returns whether there was one.
    @discardableResult
    func runNext() -> Bool {
        let work = scheduled.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        work?()
        return work != nil
    }

    /// Runs closures until none is waiting.
    func runAll() {
        while runNext() {}
    }
}
