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
    /// See ``Persisting`` for the evaluation of the default.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: The storage of the value.
    ///   - defaultValue: The value that reads return while no value is stored or the stored value
    ///     can't be read. It's evaluated at most once, when it's first needed. It may store a value
    ///     under the same key, but must not read or remove the value.
    ///   - behaviour: The occasions on which the default is stored.
    ///   - errorHandler: The handler of errors that no call can throw. If it's `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Base: Storage>(
        key: Base.Key,
        storedBy storage: Base,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Base.Value {
        let key = PersistenceKey<Value>(key, in: storage, as: IdentityTransformer())
        self.init(key, defaultValue, behaviour, errorHandler)
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
    /// The parameter `transformer` converts between the value and its stored form. The other
    /// parameters are those of
    /// ``init(key:storedBy:defaultValue:defaultValuePersistBehaviour:onError:)``.
    public init<Base: Storage, Form: Transformer>(
        key: Base.Key,
        storedBy storage: Base,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Value, Form.Output == Base.Value {
        let key = PersistenceKey<Value>(key, in: storage, as: transformer)
        self.init(key, defaultValue, behaviour, errorHandler)
    }

    /// Creates a persister, or a property, for an optional value in a storage.
    ///
    /// ```swift
    /// let token = Persister<Data?>(key: "token", storedBy: Keychain())
    /// ```
    ///
    /// `wrappedValue` is the value after `=` in a property declaration; for a ``Persister``, pass
    /// `defaultValue` instead. If both are given, `defaultValue` applies only if `wrappedValue` is
    /// `nil`. Storing `nil` removes the stored value. The other parameters are those of
    /// ``init(key:storedBy:defaultValue:defaultValuePersistBehaviour:onError:)``.
    public init<Base: Storage>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        key: Base.Key,
        storedBy storage: Base,
        defaultValue: @autoclosure @escaping @Sendable () -> Value = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Base.Value? {
        let key = PersistenceKey<Value>(key, in: storage, as: IdentityTransformer())
        self.init(key, { wrappedValue() ?? defaultValue() }, behaviour, errorHandler)
    }

    /// Creates a persister, or a property, for an optional value in a storage that a transformer
    /// converts.
    ///
    /// ```swift
    /// @Persisted(key: "account", storedBy: Keychain(), transformer: JSONTransformer())
    /// var account: Account?
    /// ```
    ///
    /// The parameter `transformer` converts between a non-`nil` value and its stored form.
    /// `wrappedValue` is the value after `=` in a property declaration; for a ``Persister``, pass
    /// `defaultValue` instead. If both are given, `defaultValue` applies only if `wrappedValue` is
    /// `nil`. Storing `nil` removes the stored value. The other parameters are those of
    /// ``init(key:storedBy:defaultValue:defaultValuePersistBehaviour:onError:)``.
    public init<Base: Storage, Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        key: Base.Key,
        storedBy storage: Base,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Form.Input?, Form.Output == Base.Value {
        let key = PersistenceKey<Value>(key, in: storage, as: transformer)
        self.init(key, { wrappedValue() ?? defaultValue() }, behaviour, errorHandler)
    }
}
