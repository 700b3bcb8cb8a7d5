import FlatCache

/// A storage that keeps values in memory, for tests and previews.
///
/// Each storage has its own values; share one instance to share its values.
///
/// ```swift
/// let storage = InMemoryStorage<String, PropertyListValue>()
/// let theme = Persister(key: "theme", storedBy: storage, defaultValue: "light")
/// ```
public final class InMemoryStorage<Key: Hashable & Sendable, Value: Sendable>: ChannelledStorage,
    CorruptValueKeeping
{
    /// The channels of this storage alone.
    public let channels: StorageChannels<Key, Value>

    private let values: Locked<[ExactKey<Key>: Value]>
    private let corruptValues = Locked<[ExactKey<Key>: [Value]]>([:])

    /// Creates a storage.
    ///
    /// ```swift
    /// let storage = InMemoryStorage<String, PropertyListValue>(["theme": .string("dark")])
    /// let theme = Persister(key: "theme", storedBy: storage, defaultValue: "light")
    /// print(theme.retrieveValue())  // dark
    /// ```
    ///
    /// Storing a value that equals the stored one calls no listener, if the values are `Equatable`.
    ///
    /// - Parameter values: The initial values.
    public init(_ values: [Key: Value] = [:]) {
        let table = values.map { (ExactKey($0), $1) }
        self.values = Locked(Dictionary(uniqueKeysWithValues: table))
        channels = StorageChannels()
    }

    /// The keys that have values, in no order.
    public var keys: [Key] { values.withLock { $0.keys.map(\.key) } }

    /// Always `true`: every change passes through the channels.
    public var announcesEveryChange: Bool { true }

    /// Stores a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: Its key.
    #if compiler(>=6.3)
    @specialized(where Key == String, Value == PropertyListValue)
    #endif
    public func storeValue(_ value: Value, key: Key) {
        channels.write(value, forKey: key) { put(value, key) }
    }

    /// Removes a value, if there is one.
    ///
    /// - Parameter key: The value's key.
    public func removeValue(for key: Key) {
        channels.write(nil, forKey: key) { put(nil, key) }
    }

    /// Returns a value, or `nil` if there is none.
    ///
    /// - Parameter key: The value's key.
    public func retrieveValue(for key: Key) throws -> Value? {
        try channels.read(forKey: key) { values.withLock { $0[ExactKey(key)] } }
    }

    /// Keeps a copy of a value.
    ///
    /// The method ``corruptValues(for:)`` returns the copies.
    ///
    /// - Parameter key: The value's key.
    public func keepCorruptValue(for key: Key) -> String? {
        guard let value = values.withLock({ $0[ExactKey(key)] }) else { return nil }
        corruptValues.withLock { $0[ExactKey(key), default: []].append(value) }
        return "memory"
    }

    /// Returns the copies of a key's corrupt values, in the order in which they were kept.
    ///
    /// ```swift
    /// let storage = InMemoryStorage<String, Data>(["draft": Data("not JSON".utf8)])
    /// let draft = Persister(
    ///     key: "draft",
    ///     storedBy: storage,
    ///     transformer: JSONTransformer<Order>(),
    ///     defaultValue: Order(),
    ///     defaultValuePersistBehaviour: .persistOnError
    /// )
    /// print(draft.retrieveValue().books.count)  // 0, from the default
    /// print(storage.corruptValues(for: "draft").count)  // 1
    /// ```
    ///
    /// - Parameter key: The key.
    public func corruptValues(for key: Key) -> [Value] {
        corruptValues.withLock { $0[ExactKey(key)] ?? [] }
    }

    private func put(_ value: Value?, _ key: Key) {
        // The previous value is released after the lock.
        var value = value
        values.withLock { swap(&$0[ExactKey(key)], &value) }
    }
}

extension InMemoryStorage: CustomStringConvertible {
    /// The name of the storage in messages.
    public var description: String { "memory" }
}
