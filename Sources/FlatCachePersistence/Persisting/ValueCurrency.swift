/// The way in which the known value of a key stays current, or is proved to be.
enum ValueCurrency<Value: Sendable>: Sendable {
    /// Every change is announced.
    case announced
    /// A check at each read tells whether the known value is still stored.
    case checked(ValueCheck<Value>)
    /// Each read asks the storage.
    case asked

    init<Place: Storage>(of storage: Place, _ key: Place.Key) where Place.Value == Value {
        if let checked = storage as? any CheckedStorage<Place.Key, Value>,
            let check = checked.makeCheck(forKey: key)
        {
            self = .checked(check)
        } else {
            self = storage.announcesEveryChange ? .announced : .asked
        }
    }
}

/// Returns whether a storage still holds a value, or still holds none.
///
/// It may return `false` by mistake, but never `true`. It runs on any thread, under no lock.
typealias ValueCheck<Value> = @Sendable (Value?) -> Bool

/// A storage whose values may change without an announcement, and that sees at little cost whether
/// one has.
protocol CheckedStorage<Key, Value>: Storage {
    /// Returns the check of a key, or `nil` if every change of that key is announced.
    func makeCheck(forKey key: Key) -> ValueCheck<Value>?
}
