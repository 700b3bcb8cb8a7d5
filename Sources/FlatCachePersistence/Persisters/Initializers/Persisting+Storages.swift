extension Persisting {
    /// Creates a persister, or a property, for a value in a storage.
    ///
    /// ```swift
    /// let token = Persister(key: "token", storedBy: Keychain(), defaultValue: Data())
    /// ```
    ///
    /// The value has the type that the storage holds.
    ///
    /// ## Concurrency
    /// See ``Persisting`` for the default, and ``PersistenceErrorHandler`` for the error handler.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - storage: The storage that holds the value.
    ///   - defaultValue: The value that reads return if no value is stored, or if the stored value
    ///     can't be read or decoded. It's evaluated at most once.
    ///   - behaviour: The cases in which a read stores the default; by default, none.
    ///   - errorHandler: A closure that receives the errors of calls that don't throw. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
    public init<Base: Storage>(
        key: Base.Key,
        storedBy storage: Base,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Base.Value {
        let form = StoredForm<Value, _>(IdentityTransformer())
        self.init(key, in: storage, as: form, defaultValue, behaviour, errorHandler)
    }

    /// Creates a persister, or a property, for a value in a storage that a transformer converts.
    ///
    /// ```swift
    /// let order = Persister(
    ///     key: "order",
    ///     storedBy: Keychain(),
    ///     transformer: JSONTransformer<Order>(),
    ///     defaultValue: Order()
    /// )
    /// ```
    ///
    /// ## Concurrency
    /// See ``Persisting`` for the default, and ``PersistenceErrorHandler`` for the error handler.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - storage: The storage that holds the value.
    ///   - transformer: The conversion between the value and the type that the storage holds.
    ///   - defaultValue: The value that reads return if no value is stored, or if the stored value
    ///     can't be read or decoded. It's evaluated at most once.
    ///   - behaviour: The cases in which a read stores the default; by default, none.
    ///   - errorHandler: A closure that receives the errors of calls that don't throw. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
    public init<Base: Storage, Form: Transformer>(
        key: Base.Key,
        storedBy storage: Base,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Value, Form.Output == Base.Value {
        let form = StoredForm<Value, _>(transformer)
        self.init(key, in: storage, as: form, defaultValue, behaviour, errorHandler)
    }

    /// Creates a persister, or a property, for an optional value in a storage.
    ///
    /// ```swift
    /// let token = Persister<Data?>(key: "token", storedBy: Keychain())
    /// ```
    ///
    /// Storing `nil` removes the stored value.
    ///
    /// ## Concurrency
    /// See ``Persisting`` for the default, and ``PersistenceErrorHandler`` for the error handler.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default of a property, written after `=`. For a ``Persister``, pass
    ///     `defaultValue`.
    ///   - key: The key of the value.
    ///   - storage: The storage that holds the value.
    ///   - defaultValue: The default if `wrappedValue` is `nil`. Reads return it if no value is
    ///     stored, or if the stored value can't be read or decoded. It's evaluated at most once.
    ///   - behaviour: The cases in which a read stores the default; by default, none.
    ///   - errorHandler: A closure that receives the errors of calls that don't throw. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
    public init<Base: Storage>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        key: Base.Key,
        storedBy storage: Base,
        defaultValue: @autoclosure @escaping @Sendable () -> Value = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Base.Value? {
        let form = StoredForm<Value, _>(IdentityTransformer())
        let initial = { @Sendable in wrappedValue() ?? defaultValue() }
        self.init(key, in: storage, as: form, initial, behaviour, errorHandler)
    }

    /// Creates a persister, or a property, for an optional value in a storage that a transformer
    /// converts.
    ///
    /// ```swift
    /// @Persisted(key: "account", storedBy: Keychain(), transformer: JSONTransformer())
    /// var account: Account?
    /// ```
    ///
    /// Storing `nil` removes the stored value.
    ///
    /// ## Concurrency
    /// See ``Persisting`` for the default, and ``PersistenceErrorHandler`` for the error handler.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default of a property, written after `=`. For a ``Persister``, pass
    ///     `defaultValue`.
    ///   - key: The key of the value.
    ///   - storage: The storage that holds the value.
    ///   - transformer: The conversion between a non-`nil` value and the type that the storage
    ///     holds.
    ///   - defaultValue: The default if `wrappedValue` is `nil`. Reads return it if no value is
    ///     stored, or if the stored value can't be read or decoded. It's evaluated at most once.
    ///   - behaviour: The cases in which a read stores the default; by default, none.
    ///   - errorHandler: A closure that receives the errors of calls that don't throw. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
    public init<Base: Storage, Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        key: Base.Key,
        storedBy storage: Base,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Form.Input?, Form.Output == Base.Value {
        let form = StoredForm<Value, _>(transformer)
        let initial = { @Sendable in wrappedValue() ?? defaultValue() }
        self.init(key, in: storage, as: form, initial, behaviour, errorHandler)
    }
}
