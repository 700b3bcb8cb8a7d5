/// Typed values by name, in a storage of property-list values or data.
///
/// Declare a type with one property for each value:
///
/// ```swift
/// struct Settings: KeyValueStorage {
///     let storage = UserDefaultsStorage(.standard)
///     let keyPrefix = "settings."
///
///     var theme: KeyValueContainer<Theme> { makeContainer(defaultValue: .light) }
///     var lastUser: KeyValueContainer<String?> { makeContainer() }
/// }
///
/// let settings = Settings()
/// settings.theme.value = .dark
/// ```
///
/// A storage can also conform itself. Declare the properties in an extension of the storage; the
/// compiler then rejects two properties of one name.
///
/// A storage of property-list values stores ``PropertyListRepresentable`` values in a form that
/// plain `UserDefaults` calls can read, and other `Codable` values as native property lists that
/// can be edited by hand. A storage of data stores all values as JSON. A value is never read as
/// another type than the stored one, except for a number that the other type represents exactly.
///
/// ## Concurrency
/// A storage may be used on any thread; see ``Persister``.
public protocol KeyValueStorage<Base>: Sendable {
    /// The type of storage that holds the values.
    associatedtype Base: Storage where Base.Key == String, Base.Value: KeyValueForm

    /// The storage that holds the values.
    var storage: Base { get }

    /// The prefix of all keys in the storage; by default, an empty string.
    ///
    /// End the prefix with a character that isn't a letter or digit, such as a dot. Otherwise it
    /// may be the beginning of another prefix.
    var keyPrefix: String { get }

    /// The closure that receives the errors of calls that don't throw; by default, `nil`.
    ///
    /// If it's `nil`, ``PersistenceError/defaultHandler`` receives the errors.
    var errorHandler: PersistenceErrorHandler? { get }
}

extension KeyValueStorage {
    /// An empty prefix.
    public var keyPrefix: String { "" }

    /// `nil`: the default handler.
    public var errorHandler: PersistenceErrorHandler? { nil }
}

extension KeyValueStorage {
    /// Returns the value of a key, or `nil` if there is none or it can't be read or decoded.
    ///
    /// ```swift
    /// let defaults = UserDefaultsStorage()
    /// defaults.setValue(42, forKey: "page")
    /// let page: Int? = defaults.value(forKey: "page")
    /// ```
    ///
    /// The error handler receives an error once, until a read succeeds again.
    ///
    /// - Parameters:
    ///   - key: The key, without the prefix.
    ///   - type: The type of the value.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public func value<Value: Codable & Sendable>(
        forKey key: String,
        as type: Value.Type = Value.self
    ) -> Value? {
        persister(key, type).retrieveValue()
    }

    /// Returns the value of a key, or `nil` if there is none.
    ///
    /// ```swift
    /// do {
    ///     let page = try UserDefaultsStorage().retrieveValueOrThrow(forKey: "page", as: Int.self)
    ///     print(page ?? 1)
    /// } catch {
    ///     print(error)  // The stored value isn't an integer.
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key, without the prefix.
    ///   - type: The type of the value.
    /// - Throws: ``PersistenceError`` if the value can't be read or decoded as the type.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public func retrieveValueOrThrow<Value: Codable & Sendable>(
        forKey key: String,
        as type: Value.Type = Value.self
    ) throws(PersistenceError) -> Value? {
        try persister(key, type).retrieveValueOrThrow()
    }

    /// Stores a value; `nil` removes the stored one.
    ///
    /// ```swift
    /// let defaults = UserDefaultsStorage()
    /// defaults.setValue(Theme.dark, forKey: "theme")
    /// print(defaults.value(forKey: "theme", as: Theme.self) == .dark)  // true
    /// ```
    ///
    /// If the value can't be stored, the error handler receives the error. While a container or a
    /// persister of the key exists, reads return the value nevertheless, and try again to store it.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key, without the prefix.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public func setValue<Value: Codable & Sendable>(_ value: Value?, forKey key: String) {
        persister(key, Value.self).assign(value)
    }

    /// Stores a value; `nil` removes the stored one.
    ///
    /// ```swift
    /// do {
    ///     try UserDefaultsStorage().setValueOrThrow(order, forKey: "lastOrder")
    /// } catch {
    ///     print("The order isn't stored: \(error.underlying)")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key, without the prefix.
    /// - Throws: ``PersistenceError`` if the value could not be stored. The old value is then still
    ///   stored.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public func setValueOrThrow<Value: Codable & Sendable>(
        _ value: Value?,
        forKey key: String
    ) throws(PersistenceError) {
        try persister(key, Value.self).persist(value)
    }

    /// Removes the value of a key, whatever the type of the value.
    ///
    /// - Parameter key: The key, without the prefix.
    /// - Throws: ``PersistenceError`` if it could not be removed.
    public func removeValue(forKey key: String) throws(PersistenceError) {
        try access(key, as: StoredForm(IdentityTransformer())).write(nil)
    }
}

extension KeyValueStorage where Base: KeyEnumerating {
    /// Removes all values whose keys begin with the prefix, and no others.
    ///
    /// ```swift
    /// struct ReaderSettings: KeyValueStorage {
    ///     let storage = UserDefaultsStorage()
    ///     let keyPrefix = "reader."
    /// }
    ///
    /// try ReaderSettings().removeAll()  // removes reader.theme, reader.bookmark, …
    /// ```
    ///
    /// This includes keys with a longer prefix that begins with this one.
    ///
    /// - Throws: ``PersistenceError`` if the keys could not be read, or if some values could not be
    ///   removed; the method then removes all others. If the prefix is empty or ends in a letter
    ///   or digit, the method throws without removing anything: the storage may hold values of
    ///   other code, such as the defaults of the system and of other libraries.
    /// - Complexity: O(*n*), where *n* is the number of keys in the storage.
    public func removeAll() throws(PersistenceError) {
        guard let last = keyPrefix.last, !last.isLetter, !last.isNumber else {
            let failure = StorageFailure(
                """
                the prefix doesn't end in a separator, so keys of other code may begin with it. Give \
                the KeyValueStorage a keyPrefix that ends in a dot, for example, or remove values one \
                by one with removeValue(forKey:)
                """
            )
            throw storage.explained(failure, .remove, keyPrefix + "*")
        }
        let stored = try storage.explaining(.read, keyPrefix + "*") { try storage.keys }
        var keys = Set(stored.map(ExactString.init))
        // A value that could not be stored isn't in the storage.
        if let shared = storage as? any ChannelledStorage<String, Base.Value> {
            keys.formUnion(shared.channels.openKeys().map(ExactString.init))
        }
        var failure: PersistenceError?
        for key in keys where key.key.utf8.starts(with: keyPrefix.utf8) {
            do throws(PersistenceError) {
                try removeValue(
                    forKey: String(
                        decoding: key.key.utf8.dropFirst(keyPrefix.utf8.count),
                        as: UTF8.self
                    )
                )
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }
}

// Each storage with string keys also stores typed values itself.

extension InMemoryStorage: KeyValueStorage where Key == String, Value: KeyValueForm {
    /// The storage itself.
    public var storage: InMemoryStorage { self }
}

extension UserDefaultsStorage: KeyValueStorage {
    /// The storage itself.
    public var storage: UserDefaultsStorage { self }
}

#if canImport(Darwin)
extension UbiquitousKeyValueStorage: KeyValueStorage {
    /// The storage itself.
    public var storage: UbiquitousKeyValueStorage { self }
}
#endif
