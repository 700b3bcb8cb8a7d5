/// The way in which the known value of a key stays current, or is proved to be.
enum ValueCurrency: Sendable {
    /// Every change is announced.
    case announced
    /// A check at each read compares the known value with the stored one.
    case checked(ValueCheck)
    /// Each read asks the storage.
    case asked

    init<Place: Storage>(
        of storage: Place,
        _ key: Place.Key,
        _ channel: StorageChannel<Place.Value>
    ) {
        if let checked = storage as? any CheckedStorage<Place.Key, Place.Value>,
            let check = checked.makeCheck(forKey: key, channel)
        {
            self = .checked(check)
        } else {
            self = storage.announcesEveryChange ? .announced : .asked
        }
    }
}

/// Returns `true` if the storage still holds the known value of a key.
///
/// It may return `false` by mistake, but never `true`. It runs on any thread, under no lock.
typealias ValueCheck = @Sendable () -> Bool

/// A storage whose values may change without an announcement, and that compares them at little
/// cost.
protocol CheckedStorage<Key, Value>: Storage {
    /// Returns the check of a key, or `nil` if every change of that key is announced.
    ///
    /// The storage makes all of the check, so that the compiler specializes it for the type of its
    /// values.
    func makeCheck(forKey key: Key, _ channel: StorageChannel<Value>) -> ValueCheck?
}
