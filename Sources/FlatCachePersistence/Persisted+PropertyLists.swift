extension Persisted {
    /// Creates a persisted value that is stored as it is.
    ///
    /// - Parameters:
    ///   - wrappedValue: What is read while nothing is stored; evaluated when it is first needed, at
    ///     most once.
    ///   - key: The value's key.
    ///   - storage: Where it is stored, as a property list holds it.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
    public init<Place: Storage>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        key: Place.Key,
        storedBy storage: Place,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value: PropertyListRepresentable, Place.Value == PropertyListValue {
        projectedValue = Persister(
            key: key,
            storedBy: storage,
            defaultValue: wrappedValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates a persisted value that is stored as it is.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: Where it is stored, as a property list holds it.
    ///   - defaultValue: What is read while nothing is stored; evaluated when it is first needed, at
    ///     most once.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
    public init<Place: Storage>(
        key: Place.Key,
        storedBy storage: Place,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value: PropertyListRepresentable, Place.Value == PropertyListValue {
        projectedValue = Persister(
            key: key,
            storedBy: storage,
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
    ///   - key: The value's key.
    ///   - storage: Where it is stored, as a property list holds it.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
    public init<Place: Storage, Wrapped: PropertyListRepresentable>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        key: Place.Key,
        storedBy storage: Place,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Wrapped?, Place.Value == PropertyListValue {
        projectedValue = Persister(
            key: key,
            storedBy: storage,
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
    ///   - key: The value's key.
    ///   - storage: Where it is stored, as a property list holds it.
    ///   - transformer: Turns the value into what is stored.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
    public init<Place: Storage, Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        key: Place.Key,
        storedBy storage: Place,
        transformer: Form,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    )
    where
        Form.Input == Value,
        Form.Output: PropertyListRepresentable,
        Place.Value == PropertyListValue
    {
        projectedValue = Persister(
            key: key,
            storedBy: storage,
            transformer: transformer,
            defaultValue: wrappedValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates a persisted value that has another form where it is stored.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: Where it is stored, as a property list holds it.
    ///   - transformer: Turns the value into what is stored.
    ///   - defaultValue: What is read while nothing is stored; evaluated when it is first needed, at
    ///     most once.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
    public init<Place: Storage, Form: Transformer>(
        key: Place.Key,
        storedBy storage: Place,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    )
    where
        Form.Input == Value,
        Form.Output: PropertyListRepresentable,
        Place.Value == PropertyListValue
    {
        projectedValue = Persister(
            key: key,
            storedBy: storage,
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
    ///   - key: The value's key.
    ///   - storage: Where it is stored, as a property list holds it.
    ///   - transformer: Turns the value into what is stored.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
    public init<Place: Storage, Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        key: Place.Key,
        storedBy storage: Place,
        transformer: Form,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    )
    where
        Value == Form.Input?,
        Form.Output: PropertyListRepresentable,
        Place.Value == PropertyListValue
    {
        projectedValue = Persister(
            key: key,
            storedBy: storage,
            transformer: transformer,
            defaultValue: wrappedValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates a persisted optional value that is stored as it is; setting `nil` removes it.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: Where it is stored, as a property list holds it.
    ///   - defaultValue: What is read while nothing is stored; evaluated when it is first needed, at
    ///     most once.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
    public init<Place: Storage, Wrapped: PropertyListRepresentable>(
        key: Place.Key,
        storedBy storage: Place,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Wrapped?, Place.Value == PropertyListValue {
        projectedValue = Persister(
            key: key,
            storedBy: storage,
            defaultValue: defaultValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates an optional value that has another form where it is stored; setting `nil` removes it.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: Where it is stored, as a property list holds it.
    ///   - transformer: Turns the value into what is stored.
    ///   - defaultValue: What is read while nothing is stored; evaluated when it is first needed, at
    ///     most once.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
    public init<Place: Storage, Form: Transformer>(
        key: Place.Key,
        storedBy storage: Place,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    )
    where
        Value == Form.Input?,
        Form.Output: PropertyListRepresentable,
        Place.Value == PropertyListValue
    {
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
