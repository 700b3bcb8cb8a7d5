public import Foundation

extension Persisting {
    /// Creates a persister, or a property, for a value in user defaults.
    ///
    /// ```swift
    /// let theme = Persister(key: "theme", userDefaults: .standard, defaultValue: "light")
    /// ```
    ///
    /// The value's type is one that a property list can hold.
    ///
    /// ## Concurrency
    /// See ``Persisting`` for the evaluation of the default.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - userDefaults: The user defaults that hold the value.
    ///   - storage: A storage of property lists, or a value that converts to one, for values that
    ///     user defaults don't hold. Pass at most one of `userDefaults` and `storage`: the
    ///     initializer traps if both differ from `UserDefaults.standard`.
    ///   - defaultValue: The value that reads return while no value is stored or the stored value
    ///     can't be read. It's evaluated at most once, when it's first needed. It may store a value
    ///     under the same key, but must not read or remove the value.
    ///   - behaviour: The occasions on which the default is stored.
    ///   - errorHandler: The handler of errors that no call can throw. If it's `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Source: StorageConvertible>(
        key: String,
        userDefaults: UserDefaults = .standard,
        storedBy storage: Source = UserDefaults.standard,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    )
    where
        Value: PropertyListRepresentable,
        Source.ConvertedStorage: Storage<String, PropertyListValue>
    {
        let key = PersistenceKey<Value>(key, userDefaults, storage, as: IdentityTransformer())
        self.init(key, defaultValue, behaviour, errorHandler)
    }

    /// Creates a persister, or a property, for a value in user defaults that a transformer
    /// converts.
    ///
    /// ```swift
    /// let theme = Persister(
    ///     key: "theme",
    ///     userDefaults: .standard,
    ///     transformer: RawRepresentableTransformer<Theme>(),
    ///     defaultValue: Theme.light
    /// )
    /// ```
    ///
    /// The parameter `transformer` converts between the value and a type that a property list can
    /// hold. The other parameters are those of
    /// ``init(key:userDefaults:storedBy:defaultValue:defaultValuePersistBehaviour:onError:)``.
    public init<Source: StorageConvertible, Form: Transformer>(
        key: String,
        userDefaults: UserDefaults = .standard,
        storedBy storage: Source = UserDefaults.standard,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    )
    where
        Form.Input == Value,
        Form.Output: PropertyListRepresentable,
        Source.ConvertedStorage: Storage<String, PropertyListValue>
    {
        let key = PersistenceKey<Value>(key, userDefaults, storage, as: transformer)
        self.init(key, defaultValue, behaviour, errorHandler)
    }

    /// Creates a persister, or a property, for an optional value in user defaults.
    ///
    /// ```swift
    /// @Persisted(key: "lastUser", userDefaults: .standard) var lastUser: String?
    /// ```
    ///
    /// `wrappedValue` is the value after `=` in a property declaration; for a ``Persister``, pass
    /// `defaultValue` instead. If both are given, `defaultValue` applies only if `wrappedValue` is
    /// `nil`. Storing `nil` removes the stored value. The other parameters are those of
    /// ``init(key:userDefaults:storedBy:defaultValue:defaultValuePersistBehaviour:onError:)``.
    public init<Source: StorageConvertible, Wrapped: PropertyListRepresentable>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        key: String,
        userDefaults: UserDefaults = .standard,
        storedBy storage: Source = UserDefaults.standard,
        defaultValue: @autoclosure @escaping @Sendable () -> Value = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    )
    where
        Value == Wrapped?,
        Source.ConvertedStorage: Storage<String, PropertyListValue>
    {
        let key = PersistenceKey<Value>(key, userDefaults, storage, as: IdentityTransformer())
        self.init(key, { wrappedValue() ?? defaultValue() }, behaviour, errorHandler)
    }

    /// Creates a persister, or a property, for an optional value in user defaults that a
    /// transformer converts.
    ///
    /// ```swift
    /// @Persisted(key: "account", userDefaults: .standard, transformer: JSONTransformer())
    /// var account: Account?
    /// ```
    ///
    /// The parameter `transformer` converts between a non-`nil` value and a type that a property
    /// list can hold. `wrappedValue` is the value after `=` in a property declaration; for a
    /// ``Persister``, pass `defaultValue` instead. If both are given, `defaultValue` applies only
    /// if `wrappedValue` is `nil`. Storing `nil` removes the stored value. The other parameters are
    /// those of
    /// ``init(key:userDefaults:storedBy:defaultValue:defaultValuePersistBehaviour:onError:)``.
    public init<Source: StorageConvertible, Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        key: String,
        userDefaults: UserDefaults = .standard,
        storedBy storage: Source = UserDefaults.standard,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    )
    where
        Value == Form.Input?,
        Form.Output: PropertyListRepresentable,
        Source.ConvertedStorage: Storage<String, PropertyListValue>
    {
        let key = PersistenceKey<Value>(key, userDefaults, storage, as: transformer)
        self.init(key, { wrappedValue() ?? defaultValue() }, behaviour, errorHandler)
    }
}
