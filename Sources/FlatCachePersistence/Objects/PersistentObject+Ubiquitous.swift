#if canImport(Darwin)
public import Foundation

extension PersistentObject {
    /// Creates a persistent object in iCloud, and loads it.
    ///
    /// - Parameters:
    ///   - ubiquitousKeyValueStoreKey: The key in iCloud's key-value storage.
    ///   - transformer: Turns the object into data.
    ///   - defaultValue: What is read while there is none; evaluated when it is first needed, at
    ///     most once. It is not stored unless it is changed.
    ///   - conflictRule: What a save does when somebody else has changed what is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
    public convenience init<Form: Transformer>(
        ubiquitousKeyValueStoreKey: String,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Object? = nil,
        conflictRule: ConflictRule = .automatic,
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Object, Form.Output == Data {
        self.init(
            repository: UbiquitousKeyValueStoreRepository(key: ubiquitousKeyValueStoreKey),
            transformer: transformer,
            defaultValue: defaultValue(),
            conflictRule: conflictRule,
            onError: errorHandler
        )
    }
}

extension PersistentObject where Object: Codable {
    /// Creates a persistent object in iCloud, as JSON, and loads it.
    ///
    /// - Parameters:
    ///   - ubiquitousKeyValueStoreKey: The key in iCloud's key-value storage.
    ///   - defaultValue: What is read while there is none; evaluated when it is first needed, at
    ///     most once. It is not stored unless it is changed.
    ///   - conflictRule: What a save does when somebody else has changed what is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
    public convenience init(
        ubiquitousKeyValueStoreKey: String,
        defaultValue: @autoclosure @escaping @Sendable () -> Object? = nil,
        conflictRule: ConflictRule = .automatic,
        onError errorHandler: PersistenceErrorHandler? = nil
    ) {
        self.init(
            ubiquitousKeyValueStoreKey: ubiquitousKeyValueStoreKey,
            transformer: JSONTransformer(),
            defaultValue: defaultValue(),
            conflictRule: conflictRule,
            onError: errorHandler
        )
    }
}
#endif
