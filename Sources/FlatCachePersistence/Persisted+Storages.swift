extension Persisted {
    /// Creates a persisted value that is stored without a transformer.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default value, which the property returns while nothing is stored. It
    ///     is evaluated at most once, when it is first needed.
    ///   - key: The value's key.
    ///   - storage: The storage.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Place: Storage>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        key: Place.Key,
        storedBy storage: Place,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Place.Value {
        projectedValue = Persister(
            key: key,
            storedBy: storage,
            defaultValue: wrappedValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates a persisted value that is stored without a transformer.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: The storage.
    ///   - defaultValue: The default value, which the property returns while nothing is stored. It
    ///     is evaluated at most once, when it is first needed.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Place: Storage>(
        key: Place.Key,
        storedBy storage: Place,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Place.Value {
        projectedValue = Persister(
            key: key,
            storedBy: storage,
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
    ///   - storage: The storage.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Place: Storage>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        key: Place.Key,
        storedBy storage: Place,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Place.Value? {
        projectedValue = Persister(
            key: key,
            storedBy: storage,
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
    ///   - storage: The storage.
    ///   - transformer: The transformer that converts the value to its stored form.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Place: Storage, Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        key: Place.Key,
        storedBy storage: Place,
        transformer: Form,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Value, Form.Output == Place.Value {
        projectedValue = Persister(
            key: key,
            storedBy: storage,
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
    ///   - storage: The storage.
    ///   - transformer: The transformer that converts the value to its stored form.
    ///   - defaultValue: The default value, which the property returns while nothing is stored. It
    ///     is evaluated at most once, when it is first needed.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Place: Storage, Form: Transformer>(
        key: Place.Key,
        storedBy storage: Place,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Value, Form.Output == Place.Value {
        projectedValue = Persister(
            key: key,
            storedBy: storage,
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
    ///   - storage: The storage.
    ///   - transformer: The transformer that converts the value to its stored form.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Place: Storage, Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        key: Place.Key,
        storedBy storage: Place,
        transformer: Form,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Form.Input?, Form.Output == Place.Value {
        projectedValue = Persister(
            key: key,
            storedBy: storage,
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
    ///   - storage: The storage.
    ///   - defaultValue: The default value, which the property returns while nothing is stored. It
    ///     is evaluated at most once, when it is first needed.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Place: Storage>(
        key: Place.Key,
        storedBy storage: Place,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Place.Value? {
        projectedValue = Persister(
            key: key,
            storedBy: storage,
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
    ///   - storage: The storage.
    ///   - transformer: The transformer that converts the value to its stored form.
    ///   - defaultValue: The default value, which the property returns while nothing is stored. It
    ///     is evaluated at most once, when it is first needed.
    ///   - behaviour: The options that determine when the default value is stored.
    ///   - errorHandler: The handler of errors that can't be thrown. If it is `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Place: Storage, Form: Transformer>(
        key: Place.Key,
        storedBy storage: Place,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Form.Input?, Form.Output == Place.Value {
        projectedValue = Persister(
            key: key,
            storedBy: storage,
            transformer: transformer,
            defaultValue: defaultValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }
}
