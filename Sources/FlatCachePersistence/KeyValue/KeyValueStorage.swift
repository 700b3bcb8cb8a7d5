/// Typed values by name, in any storage of property-list values or data.
///
/// Declare a type for them, with a property for each:
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
/// A storage may also be one itself; then the properties are declared in an extension of it, and
/// two of one name don't compile.
///
/// In a storage of property-list values, whatever is ``PropertyListRepresentable`` is stored as it
/// is, so that plain `UserDefaults` calls read it; other `Codable` values are native property lists
/// that can be edited by hand. In a storage of data all values are JSON. A value is never read as
/// another type than it was stored as, except for a number that is exactly one of the other type,
/// too.
///
/// ## Concurrency
/// It may be used on any thread; see ``Persister``.
public protocol KeyValueStorage<Place>: Sendable {
    /// The type of storage that holds the values.
    associatedtype Place: Storage where Place.Key == String, Place.Value: KeyValueForm

    /// Where the values are stored.
    var storage: Place { get }

    /// What all keys begin with in the storage; empty unless it says otherwise.
    ///
    /// Let it end in a character that is no letter or digit, such as a dot, so that it is not the
    /// beginning of another prefix.
    var keyPrefix: String { get }

    /// Gets errors that nobody can be thrown to; if it is `nil`, as it is unless it says otherwise,
    /// ``PersistenceError/defaultHandler`` does.
    var errorHandler: PersistenceErrorHandler? { get }
}

extension KeyValueStorage {
    /// No prefix.
    public var keyPrefix: String { "" }

    /// No handler of its own.
    public var errorHandler: PersistenceErrorHandler? { nil }
}

extension KeyValueStorage {
    /// Returns the value of a key, or `nil` if there is none or it can't be had.
    ///
    /// Why it can't be had is told to the error handler, once until it can.
    ///
    /// - Parameters:
    ///   - key: The key, without the prefix.
    ///   - type: The type of the value.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public func value<Value: Codable & Sendable>(
        forKey key: String,
        as type: Value.Type = Value.self
    ) -> Value? {
        slot(key, type).loadOrReport()
    }

    /// Returns the value of a key, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - key: The key, without the prefix.
    ///   - type: The type of the value.
    /// - Throws: ``PersistenceError`` if the value can't be read, or is none of that type.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public func retrieveValueOrThrow<Value: Codable & Sendable>(
        forKey key: String,
        as type: Value.Type = Value.self
    ) throws -> Value? {
        try slot(key, type).load()
    }

    /// Stores a value; `nil` removes the one that is there.
    ///
    /// If it can't be stored the error handler is told why, and the value is read all the same
    /// until the process ends or something else is stored.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key, without the prefix.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public func setValue<Value: Codable & Sendable>(_ value: Value?, forKey key: String) {
        slot(key, Value.self).assign(value, isRead: true)
    }

    /// Stores a value; `nil` removes the one that is there.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key, without the prefix.
    /// - Throws: ``PersistenceError`` if it could not be stored; what was there is still there
    ///   then.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public func setValueOrThrow<Value: Codable & Sendable>(
        _ value: Value?,
        forKey key: String
    ) throws {
        try slot(key, Value.self).store(value)
    }

    /// Removes a value, of whatever type, if there is one.
    ///
    /// - Parameter key: The key, without the prefix.
    /// - Throws: ``PersistenceError`` if it could not be removed.
    public func removeValue(forKey key: String) throws {
        try slot(key, Bool.self).store(nil)
    }

    func slot<Value: Codable & Sendable>(
        _ key: String,
        _ type: Value.Type
    ) -> KeyValueSlot<Value, Place> {
        KeyValueSlot(storage, keyPrefix + key, errorHandler)
    }
}

extension KeyValueStorage where Place: KeyEnumerating {
    /// Removes all values whose keys begin with the prefix, and no others.
    ///
    /// What is stored with a longer prefix that begins with this one goes as well.
    ///
    /// - Throws: ``PersistenceError`` if one could not be removed; all the others have been. Also,
    ///   with nothing removed, if the prefix is empty or ends in a letter or digit: then the
    ///   storage holds what is none of this one's, such as all of the system's and other libraries'
    ///   defaults.
    /// - Complexity: O(*n*), where *n* is the number of keys in the storage.
    public func removeAll() throws {
        guard let last = keyPrefix.last, !last.isLetter, !last.isNumber else {
            let refusal = UnsafePrefix(prefix: keyPrefix)
            throw PersistenceError(
                .remove,
                key: keyPrefix + "*",
                storage: storage,
                underlying: refusal
            )
        }
        let keys: [String]
        do {
            keys = try storage.keys
        } catch {
            throw storage.explained(error, .read, keyPrefix + "*")
        }
        var failure: (any Error)?
        for key in keys where key.hasPrefix(keyPrefix) {
            do {
                try removeValue(forKey: String(key.dropFirst(keyPrefix.count)))
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }
}

/// Says that a prefix does not tell one's own keys from those of others.
struct UnsafePrefix: Error, CustomStringConvertible {
    let prefix: String

    var description: String {
        let why =
            prefix.isEmpty
            ? "without a prefix all keys would be removed, whoever they belong to"
            : "other prefixes may begin with '\(prefix)', which does not end in a separator"
        return """
            \(why). Give the KeyValueStorage a keyPrefix that ends in a dot, for example, or \
            remove values one by one with removeValue(forKey:)
            """
    }
}

extension InMemoryStorage: KeyValueStorage where Key == String, Value: KeyValueForm {
    /// The storage itself.
    public var storage: InMemoryStorage { self }
}
