/// A storage that can list the keys that have values.
///
/// ```swift
/// for key in try UserDefaultsStorage().keys where key.hasPrefix("reader.") { print(key) }
/// ```
///
/// ``KeyValueStorage/removeAll()`` requires such a storage.
public protocol KeyEnumerating<Key, Value>: Storage {
    /// The keys that have values, in no order.
    ///
    /// - Throws: An error if the storage could not be read.
    /// - Complexity: O(*n*), where *n* is the number of keys.
    var keys: [Key] { get throws }
}

extension InMemoryStorage: KeyEnumerating {}
