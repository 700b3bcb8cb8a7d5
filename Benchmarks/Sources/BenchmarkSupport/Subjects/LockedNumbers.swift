import Synchronization

/// The baseline of rows about persisters in memory: numbers in a locked dictionary, without
/// listeners.
final class LockedNumbers: Sendable {
    private let numbers = Mutex<[String: Int]>([:])

    /// Stores a number, under the lock.
    func set(_ number: Int, forKey key: String) { numbers.withLock { $0[key] = number } }

    /// Returns a number, under the lock.
    func number(forKey key: String) -> Int? { numbers.withLock { $0[key] } }
}
