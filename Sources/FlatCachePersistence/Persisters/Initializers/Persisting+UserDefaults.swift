public import Foundation

extension Persisting {
    /// Creates a persister, or a property, for a value in user defaults.
    ///
    /// ```swift
    /// let theme = Persister(key: "theme", defaultValue: "light")
    /// ```
    ///
    /// The value has a type that a property list can hold; see ``PropertyListRepresentable``.
    ///
    /// ## Concurrency
    /// See ``Persisting`` for the default, and ``PersistenceErrorHandler`` for the error handler.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - userDefaults: The user defaults that hold the value.
    ///   - storage: A storage of property lists that holds the value in place of user defaults. If
    ///     both this and `userDefaults` differ from `UserDefaults.standard`, the initializer traps.
    ///   - defaultValue: The value that reads return if no value is stored, or if the stored value
    ///     can't be read or decoded. It's evaluated at most once.
    ///   - behaviour: The cases in which a read stores the default; by default, none.
    ///   - errorHandler: A closure that receives the errors of calls that don't throw. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
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
        let form = StoredForm<Value, _>(list: IdentityTransformer())
        self.init(key, userDefaults, storage, as: form, defaultValue, behaviour, errorHandler)
    }

    /// Creates a persister, or a property, for a value in user defaults that a transformer
    /// converts.
    ///
    /// ```swift
    /// let theme = Persister(
    ///     key: "theme",
    ///     transformer: RawRepresentableTransformer<Theme>(),
    ///     defaultValue: Theme.light
    /// )
    /// ```
    ///
    /// ## Concurrency
    /// See ``Persisting`` for the default, and ``PersistenceErrorHandler`` for the error handler.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - userDefaults: The user defaults that hold the value.
    ///   - storage: A storage of property lists that holds the value in place of user defaults. If
    ///     both this and `userDefaults` differ from `UserDefaults.standard`, the initializer traps.
    ///   - transformer: The conversion between the value and a type that a property list can hold.
    ///   - defaultValue: The value that reads return if no value is stored, or if the stored value
    ///     can't be read or decoded. It's evaluated at most once.
    ///   - behaviour: The cases in which a read stores the default; by default, none.
    ///   - errorHandler: A closure that receives the errors of calls that don't throw. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
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
        let form = StoredForm<Value, _>(list: transformer)
        self.init(key, userDefaults, storage, as: form, defaultValue, behaviour, errorHandler)
    }

    /// Creates a persister, or a property, for an optional value in user defaults.
    ///
    /// ```swift
    /// @Persisted(key: "lastUser") var lastUser: String?
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
    ///   - userDefaults: The user defaults that hold the value.
    ///   - storage: A storage of property lists that holds the value in place of user defaults. If
    ///     both this and `userDefaults` differ from `UserDefaults.standard`, the initializer traps.
    ///   - defaultValue: The default if `wrappedValue` is `nil`. Reads return it if no value is
    ///     stored, or if the stored value can't be read or decoded. It's evaluated at most once.
    ///   - behaviour: The cases in which a read stores the default; by default, none.
    ///   - errorHandler: A closure that receives the errors of calls that don't throw. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
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
        let form = StoredForm<Value, _>(list: IdentityTransformer())
        let initial = { @Sendable in wrappedValue() ?? defaultValue() }
        self.init(key, userDefaults, storage, as: form, initial, behaviour, errorHandler)
    }

    /// Creates a persister, or a property, for an optional value in user defaults that a
    /// transformer converts.
    ///
    /// ```swift
    /// @Persisted(key: "account", transformer: JSONTransformer()) var account: Account?
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
    ///   - userDefaults: The user defaults that hold the value.
    ///   - storage: A storage of property lists that holds the value in place of user defaults. If
    ///     both this and `userDefaults` differ from `UserDefaults.standard`, the initializer traps.
    ///   - transformer: The conversion between a non-`nil` value and a type that a property list
    ///     can hold.
    ///   - defaultValue: The default if `wrappedValue` is `nil`. Reads return it if no value is
    ///     stored, or if the stored value can't be read or decoded. It's evaluated at most once.
    ///   - behaviour: The cases in which a read stores the default; by default, none.
    ///   - errorHandler: A closure that receives the errors of calls that don't throw. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
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
        let form = StoredForm<Value, _>(list: transformer)
        let initial = { @Sendable in wrappedValue() ?? defaultValue() }
        self.init(key, userDefaults, storage, as: form, initial, behaviour, errorHandler)
    }
}
