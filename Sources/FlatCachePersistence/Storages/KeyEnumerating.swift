/// A storage that can tell which of its keys have values.
///
/// ``KeyValueStorage/removeAll()`` needs that.
public protocol KeyEnumerating<Key, Value>: Storage {
    /// The keys that have values, in no order.
    ///
    /// - Throws: If the storage could not be read.
    /// - Complexity: O(*n*), where *n* is the number of keys.
    var keys: [Key] { get throws }
}

extension InMemoryStorage: KeyEnumerating {}
