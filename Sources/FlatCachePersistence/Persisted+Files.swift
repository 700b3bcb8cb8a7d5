public import Foundation

extension Persisted {
    /// Creates a persisted value that is stored without a transformer.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default value, which the property returns while nothing is stored. It
    ///     is evaluated at most once, when it is first needed.
    ///   - file: The URL of the file.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        file: URL,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Data {
        projectedValue = Persister(
            key: file,
            storedBy: FileStorage(),
            defaultValue: wrappedValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates a persisted value that is stored without a transformer.
    ///
    /// - Parameters:
    ///   - file: The URL of the file.
    ///   - defaultValue: The default value, which the property returns while nothing is stored. It
    ///     is evaluated at most once, when it is first needed.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init(
        file: URL,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Data {
        projectedValue = Persister(
            key: file,
            storedBy: FileStorage(),
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
    ///   - file: The URL of the file.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        file: URL,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Data? {
        projectedValue = Persister(
            key: file,
            storedBy: FileStorage(),
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
    ///   - file: The URL of the file.
    ///   - transformer: The transformer that converts the value to its stored form.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        file: URL,
        transformer: Form,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Value, Form.Output == Data {
        projectedValue = Persister(
            key: file,
            storedBy: FileStorage(),
            transformer: transformer,
            defaultValue: wrappedValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates a persisted value that is stored through a transformer.
    ///
    /// - Parameters:
    ///   - file: The URL of the file.
    ///   - transformer: The transformer that converts the value to its stored form.
    ///   - defaultValue: The default value, which the property returns while nothing is stored. It
    ///     is evaluated at most once, when it is first needed.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Form: Transformer>(
        file: URL,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Value, Form.Output == Data {
        projectedValue = Persister(
            key: file,
            storedBy: FileStorage(),
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
    ///   - file: The URL of the file.
    ///   - transformer: The transformer that converts the value to its stored form.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        file: URL,
        transformer: Form,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Form.Input?, Form.Output == Data {
        projectedValue = Persister(
            key: file,
            storedBy: FileStorage(),
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
    ///   - file: The URL of the file.
    ///   - defaultValue: The default value, which the property returns while nothing is stored. It
    ///     is evaluated at most once, when it is first needed.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init(
        file: URL,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Data? {
        projectedValue = Persister(
            key: file,
            storedBy: FileStorage(),
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
    ///   - file: The URL of the file.
    ///   - transformer: The transformer that converts the value to its stored form.
    ///   - defaultValue: The default value, which the property returns while nothing is stored. It
    ///     is evaluated at most once, when it is first needed.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Form: Transformer>(
        file: URL,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Form.Input?, Form.Output == Data {
        projectedValue = Persister(
            key: file,
            storedBy: FileStorage(),
            transformer: transformer,
            defaultValue: defaultValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }
}
