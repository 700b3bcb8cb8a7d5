#if canImport(Darwin)
public import Foundation

extension PersistentObject {
    /// Creates a persistent object in iCloud, and loads it.
    ///
    /// - Parameters:
    ///   - ubiquitousKeyValueStoreKey: The key in iCloud's key-value storage.
    ///   - transformer: The transformer that converts the object to data.
    ///   - defaultValue: The object to use while nothing is stored. It is evaluated at most once,
    ///     when it is first needed, and isn't stored unless it is changed.
    ///   - conflictRule: The rule that resolves a conflict between unsaved changes and an external
    ///     change.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
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
    ///   - defaultValue: The object to use while nothing is stored. It is evaluated at most once,
    ///     when it is first needed, and isn't stored unless it is changed.
    ///   - conflictRule: The rule that resolves a conflict between unsaved changes and an external
    ///     change.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
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
