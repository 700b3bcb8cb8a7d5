/// The way in which changes of a key's value are detected.
enum ChangeDetection: Sendable {
    /// The storage announces every change.
    case announced
    /// A check at each read compares the known value with the stored one.
    case checked(ValueCheck)
    /// Each read asks the storage for the value.
    case asked

    init<Base: Storage>(
        of storage: Base,
        _ key: Base.Key,
        _ channel: StorageChannel<Base.Value>
    ) {
        if let checked = storage as? any CheckedStorage<Base.Key, Base.Value>,
            let check = checked.makeCheck(forKey: key, channel)
        {
            self = .checked(check)
        } else {
            self = storage.announcesEveryChange ? .announced : .asked
        }
    }
}

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
