/// A closure that returns whether the storage still holds the known value of a key.
///
/// It may return `false` for a current value, but never `true` for an outdated one. It runs on any
/// thread, under no lock.
typealias ValueCheck = @Sendable () -> Bool

/// A storage whose values may change without an announcement, and that can compare them at little
/// cost.
protocol CheckedStorage<Key, Value>: Storage {
    /// Returns the check of a key, or `nil` if every change of that key is announced.
    ///
    /// The storage creates the entire check, so that the compiler specializes it for the type of
    /// its values.
    func makeCheck(forKey key: Key, _ channel: StorageChannel<Value>) -> ValueCheck?
}
