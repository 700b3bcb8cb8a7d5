public import Foundation

extension Persisted {
    /// Creates a persisted value that is stored without a transformer.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default value, which the property returns while nothing is stored. It
    ///     is evaluated at most once, when it is first needed.
    ///   - key: The value's key.
    ///   - userDefaults: The user defaults that hold the value.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        key: String,
        userDefaults: UserDefaults,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value: PropertyListRepresentable {
        projectedValue = Persister(
            key: key,
            storedBy: UserDefaultsStorage(userDefaults),
            defaultValue: wrappedValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates a persisted value that is stored without a transformer.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - userDefaults: The user defaults that hold the value.
    ///   - defaultValue: The default value, which the property returns while nothing is stored. It
    ///     is evaluated at most once, when it is first needed.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init(
        key: String,
        userDefaults: UserDefaults,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value: PropertyListRepresentable {
        projectedValue = Persister(
            key: key,
            storedBy: UserDefaultsStorage(userDefaults),
            defaultValue: defaultValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates a persisted optional value that is stored without a transformer.
    ///
    /// Setting the property to `nil` removes the stored value.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default value, which the property returns while nothing is stored. It
    ///     is evaluated at most once, when it is first needed.
    ///   - key: The value's key.
    ///   - userDefaults: The user defaults that hold the value.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Wrapped: PropertyListRepresentable>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        key: String,
        userDefaults: UserDefaults,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Wrapped? {
        projectedValue = Persister(
            key: key,
            storedBy: UserDefaultsStorage(userDefaults),
            defaultValue: wrappedValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates a persisted value that is stored through a transformer.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default value, which the property returns while nothing is stored. It
    ///     is evaluated at most once, when it is first needed.
    ///   - key: The value's key.
    ///   - userDefaults: The user defaults that hold the value.
    ///   - transformer: The transformer that converts the value to its stored form.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        key: String,
        userDefaults: UserDefaults,
        transformer: Form,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Value, Form.Output: PropertyListRepresentable {
        projectedValue = Persister(
            key: key,
            storedBy: UserDefaultsStorage(userDefaults),
            transformer: transformer,
            defaultValue: wrappedValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates a persisted value that is stored through a transformer.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - userDefaults: The user defaults that hold the value.
    ///   - transformer: The transformer that converts the value to its stored form.
    ///   - defaultValue: The default value, which the property returns while nothing is stored. It
    ///     is evaluated at most once, when it is first needed.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Form: Transformer>(
        key: String,
        userDefaults: UserDefaults,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Value, Form.Output: PropertyListRepresentable {
        projectedValue = Persister(
            key: key,
            storedBy: UserDefaultsStorage(userDefaults),
            transformer: transformer,
            defaultValue: defaultValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates a persisted optional value that is stored through a transformer.
    ///
    /// Setting the property to `nil` removes the stored value.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default value, which the property returns while nothing is stored. It
    ///     is evaluated at most once, when it is first needed.
    ///   - key: The value's key.
    ///   - userDefaults: The user defaults that hold the value.
    ///   - transformer: The transformer that converts the value to its stored form.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        key: String,
        userDefaults: UserDefaults,
        transformer: Form,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Form.Input?, Form.Output: PropertyListRepresentable {
        projectedValue = Persister(
            key: key,
            storedBy: UserDefaultsStorage(userDefaults),
            transformer: transformer,
            defaultValue: wrappedValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates a persisted optional value that is stored without a transformer.
    ///
    /// Setting the property to `nil` removes the stored value.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - userDefaults: The user defaults that hold the value.
    ///   - defaultValue: The default value, which the property returns while nothing is stored. It
    ///     is evaluated at most once, when it is first needed.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Wrapped: PropertyListRepresentable>(
        key: String,
        userDefaults: UserDefaults,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Wrapped? {
        projectedValue = Persister(
            key: key,
            storedBy: UserDefaultsStorage(userDefaults),
            defaultValue: defaultValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates a persisted optional value that is stored through a transformer.
    ///
    /// Setting the property to `nil` removes the stored value.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - userDefaults: The user defaults that hold the value.
    ///   - transformer: The transformer that converts the value to its stored form.
    ///   - defaultValue: The default value, which the property returns while nothing is stored. It
    ///     is evaluated at most once, when it is first needed.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Form: Transformer>(
        key: String,
        userDefaults: UserDefaults,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Form.Input?, Form.Output: PropertyListRepresentable {
        projectedValue = Persister(
            key: key,
            storedBy: UserDefaultsStorage(userDefaults),
            transformer: transformer,
            defaultValue: defaultValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }
}
