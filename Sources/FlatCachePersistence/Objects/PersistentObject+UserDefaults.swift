public import Foundation

extension PersistentObject {
    /// Creates a persistent object under a key of user defaults, and loads it.
    ///
    /// ```swift
    /// let draft = PersistentObject(
    ///     userDefaultsKey: "draft",
    ///     transformer: PropertyListTransformer<Order>()
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - userDefaultsKey: The key. It may have dots.
    ///   - userDefaults: The user defaults.
    ///   - transformer: The transformer that converts the object to data.
    ///   - defaultValue: The object to use while nothing is stored; see
    ///     ``init(repository:transformer:defaultValue:conflictRule:onError:)``.
    ///   - conflictRule: The rule that resolves a conflict between unsaved changes and an external
    ///     change.
    ///   - errorHandler: A closure that receives the errors of loads and automatic saves. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
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
    /// Creates a persistent object under a key of user defaults, as JSON, and loads it.
    ///
    /// ```swift
    /// let draft = PersistentObject(userDefaultsKey: "draft", defaultValue: Order())
    /// ```
    ///
    /// The parameters are those of
    /// ``init(userDefaultsKey:userDefaults:transformer:defaultValue:conflictRule:onError:)``.
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
