public import Foundation

extension PersistentObject {
    /// Creates a persistent object under a key of the user's defaults, and loads it.
    ///
    /// - Parameters:
    ///   - userDefaultsKey: The key, which may have dots.
    ///   - userDefaults: The defaults.
    ///   - transformer: Turns the object into data.
    ///   - defaultValue: What is read while there is none; evaluated when it is first needed, at
    ///     most once. It is not stored unless it is changed.
    ///   - conflictRule: What a save does when somebody else has changed what is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
    public convenience init<Form: Transformer>(
        userDefaultsKey: String,
        userDefaults: UserDefaults = .standard,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Object? = nil,
        conflictRule: ConflictRule = .automatic,
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Object, Form.Output == Data {
        self.init(
            repository: UserDefaultsRepository(
                key: userDefaultsKey,
                userDefaults: userDefaults
            ),
            transformer: transformer,
            defaultValue: defaultValue(),
            conflictRule: conflictRule,
            onError: errorHandler
        )
    }
}

extension PersistentObject where Object: Codable {
    /// Creates a persistent object under a key of the user's defaults, as JSON, and
    /// loads it.
    ///
    /// - Parameters:
    ///   - userDefaultsKey: The key, which may have dots.
    ///   - userDefaults: The defaults.
    ///   - defaultValue: What is read while there is none; evaluated when it is first needed, at
    ///     most once. It is not stored unless it is changed.
    ///   - conflictRule: What a save does when somebody else has changed what is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
    public convenience init(
        userDefaultsKey: String,
        userDefaults: UserDefaults = .standard,
        defaultValue: @autoclosure @escaping @Sendable () -> Object? = nil,
        conflictRule: ConflictRule = .automatic,
        onError errorHandler: PersistenceErrorHandler? = nil
    ) {
        self.init(
            userDefaultsKey: userDefaultsKey,
            userDefaults: userDefaults,
            transformer: JSONTransformer(),
            defaultValue: defaultValue(),
            conflictRule: conflictRule,
            onError: errorHandler
        )
    }
}
