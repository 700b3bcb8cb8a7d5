@testable import FlatCache

/// Keeps the closures that a delivery hands over until the test runs them.
final class ManualScheduler: Sendable {
    private let scheduled = Locked<[@Sendable () -> Void]>([])

    var delivery: CacheDelivery {
        CacheDelivery { [scheduled] work in scheduled.withLock { $0.append(work) } }
    }

    /// How many closures wait to be run.
    var count: Int { scheduled.withLock { $0.count } }

    /// Runs the oldest closure; returns whether there was one.
    @discardableResult
    func runNext() -> Bool {
        let work = scheduled.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        work?()
        return work != nil
    }

    /// Runs closures until none is left.
    func runAll() {
        while runNext() {}
    }
}
