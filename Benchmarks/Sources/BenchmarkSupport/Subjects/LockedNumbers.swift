import Synchronization

/// What a program has that keeps numbers in memory, and nobody who listens.
final class LockedNumbers: Sendable {
    private let numbers = Mutex<[String: Int]>([:])

    /// Stores a number, under the lock.
    func set(_ number: Int, forKey key: String) { numbers.withLock { $0[key] = number } }

    /// Returns a number, under the lock.
    func number(forKey key: String) -> Int? { numbers.withLock { $0[key] } }
}
