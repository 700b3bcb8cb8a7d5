import Synchronization

/// A logical clock: no two readings are the same, and what happens after a reading, on whichever
/// thread, reads more.
final class StressClock: Sendable {
    private let time = Atomic<Int>(0)

    func tick() -> Int {
        time.add(1, ordering: .sequentiallyConsistent).newValue
    }
}
