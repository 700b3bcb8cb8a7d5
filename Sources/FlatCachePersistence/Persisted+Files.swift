public import Foundation

extension Persisted {
    /// Creates a persisted value that is stored as it is.
    ///
    /// - Parameters:
    ///   - wrappedValue: What is read while nothing is stored; evaluated when it is first needed, at
    ///     most once.
    ///   - file: The URL of the file.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
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

    /// Creates a persisted value that is stored as it is.
    ///
    /// - Parameters:
    ///   - file: The URL of the file.
    ///   - defaultValue: What is read while nothing is stored; evaluated when it is first needed, at
    ///     most once.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
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

    /// Creates a persisted optional value that is stored as it is; setting `nil` removes it.
    ///
    /// - Parameters:
    ///   - wrappedValue: What is read while nothing is stored; evaluated when it is first needed, at
    ///     most once.
    ///   - file: The URL of the file.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
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

    /// Creates a persisted value that has another form where it is stored.
    ///
    /// - Parameters:
    ///   - wrappedValue: What is read while nothing is stored; evaluated when it is first needed, at
    ///     most once.
    ///   - file: The URL of the file.
    ///   - transformer: Turns the value into what is stored.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
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

    /// Creates a persisted value that has another form where it is stored.
    ///
    /// - Parameters:
    ///   - file: The URL of the file.
    ///   - transformer: Turns the value into what is stored.
    ///   - defaultValue: What is read while nothing is stored; evaluated when it is first needed, at
    ///     most once.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
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

    /// Creates an optional value that has another form where it is stored; setting `nil` removes it.
    ///
    /// - Parameters:
    ///   - wrappedValue: What is read while nothing is stored; evaluated when it is first needed, at
    ///     most once.
    ///   - file: The URL of the file.
    ///   - transformer: Turns the value into what is stored.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
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

    /// Creates a persisted optional value that is stored as it is; setting `nil` removes it.
    ///
    /// - Parameters:
    ///   - file: The URL of the file.
    ///   - defaultValue: What is read while nothing is stored; evaluated when it is first needed, at
    ///     most once.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
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

    /// Creates an optional value that has another form where it is stored; setting `nil` removes it.
    ///
    /// - Parameters:
    ///   - file: The URL of the file.
    ///   - transformer: Turns the value into what is stored.
    ///   - defaultValue: What is read while nothing is stored; evaluated when it is first needed, at
    ///     most once.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
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
