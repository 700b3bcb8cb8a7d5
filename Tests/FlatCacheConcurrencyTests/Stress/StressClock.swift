import Synchronization

@testable import FlatCacheTestSupport

/// A logical clock.
///
/// All readings differ, and a later reading on any thread is greater.
final class StressClock: Sendable {
    private let time = Atomic<Int>(0)

    func tick() -> Int {
        time.add(1, ordering: .sequentiallyConsistent).newValue
    }
}
