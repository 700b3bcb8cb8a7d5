public import FlatCache
public import Foundation

/// A type that stores values, such as bytes or property-list values, under keys.
///
/// ```swift
/// let storage = InMemoryStorage<String, Data>()
/// storage.storeValue(Data("hello".utf8), key: "note")
/// let note = try storage.retrieveValue(for: "note")
/// ```
///
/// To write a storage, conform to ``ChannelledStorage``. It orders the writes and notifies
/// listeners. Conform to this protocol alone only if the storage does both itself.
public protocol Storage<Key, Value>: StorageConvertible, Sendable {
    /// The type of the keys that identify values.
    associatedtype Key: Hashable & Sendable

    /// The type of the values that the storage holds.
    associatedtype Value: Sendable

    /// The type itself, since a storage needs no conversion.
    associatedtype ConvertedStorage = Self
    where ConvertedStorage.Key == Key, ConvertedStorage.Value == Value

    /// Stores a value and replaces the previous one.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: Its key.
    /// - Throws: An error if the value could not be stored; the previous value is still stored
    ///   then.
    func storeValue(_ value: Value, key: Key) throws

    /// Removes a value, if there is one.
    ///
    /// - Parameter key: The value's key.
    /// - Throws: An error if the value could not be removed; it's still stored then.
    func removeValue(for key: Key) throws

    /// Returns the stored value.
    ///
    /// - Parameter key: The value's key.
    /// - Returns: The value, or `nil` if there is none.
    /// - Throws: An error if there may be a value that can't be read.
    func retrieveValue(for key: Key) throws -> Value?

    /// Calls a closure after each change of a value, with the stored value, or `nil` after a
    /// removal.
    ///
    /// ## Concurrency
    /// The closure is called in the order of the writes, one call at a time, under no lock: it may
    /// read, write and remove the value. The storage calls it before a write returns, unless a call
    /// is already in progress, further up the stack or on another thread. In that case it's called
    /// again after the call in progress returns.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - updateListener: The closure.
    /// - Returns: A token. After it's disposed of or released, no new call starts.
    func addUpdateListener(
        forKey key: Key,
        updateListener: @escaping @Sendable (Value?) -> Void
    ) -> Disposable

    /// A Boolean value that indicates whether the storage calls its listeners for every change of
    /// its values.
    ///
    /// If it's `true`, a ``Persister`` remembers a value until its listener is called. The storage
    /// must then call listeners before any call in this process that changes a value returns. That
    /// includes the methods of this storage, those of other storages of the same values, and
    /// methods outside this protocol, such as one that removes all values. For a change by another
    /// process, the storage calls listeners as soon as it detects the change.
    ///
    /// If it's `false`, the default, each read through a persister or a property calls
    /// ``retrieveValue(for:)``.
    var announcesEveryChange: Bool { get }
}

extension Storage {
    /// Returns `false`: each read asks the storage.
    public var announcesEveryChange: Bool { false }
}

/// A type that stands for a storage where a persister or a property needs one.
///
/// ```swift
/// let theme = Persister(key: "theme", storedBy: UserDefaults.standard, defaultValue: "light")
/// let note = Persister<String?>(key: "note", storedBy: storage)
/// ```
///
/// Each ``Storage`` stands for itself, and a `UserDefaults` object for the storage of its domain.
public protocol StorageConvertible {
    /// The type of the storage.
    associatedtype ConvertedStorage: Storage

    /// Returns the storage.
    func makeStorage() -> ConvertedStorage
}

extension Storage where ConvertedStorage == Self {
    /// Returns the storage itself.
    public func makeStorage() -> ConvertedStorage { self }
}

extension UserDefaults: StorageConvertible {
    /// Returns the storage of the object's domain.
    public func makeStorage() -> UserDefaultsStorage { UserDefaultsStorage(self) }
}

/// A storage that can keep a copy of a corrupt value, so that another value may replace it.
///
/// ```swift
/// // The file contains text that isn't JSON.
/// if let copy = try FileStorage().keepCorruptValue(for: draftFile) {
///     print("The corrupt draft is kept in \(copy).")
/// }
/// ```
///
/// ``DefaultValuePersistBehaviour/persistOnError`` overwrites a corrupt value only after the
/// storage has kept a copy.
public protocol CorruptValueKeeping<Key, Value>: Storage {
    /// Keeps a copy of the stored value beside it.
    ///
    /// - Parameter key: The value's key.
    /// - Returns: The location of the copy, for a message; `nil` if there is no value.
    /// - Throws: An error if the copy could not be kept.
    func keepCorruptValue(for key: Key) throws -> String?
}

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
