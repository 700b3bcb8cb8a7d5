public import Foundation

extension Persisted {
    /// Creates a property for a value in user defaults.
    ///
    /// ```swift
    /// @Persisted(key: "theme") var theme = "light"
    /// ```
    ///
    /// The value has a type that a property list can hold; see ``PropertyListRepresentable``.
    ///
    /// ## Concurrency
    /// See ``Persisting`` for the default, and ``PersistenceErrorHandler`` for the error handler.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, written after `=`. Reads return it if no value is stored, or
    ///     if the stored value can't be read or decoded. It's evaluated at most once.
    ///   - key: The key of the value.
    ///   - userDefaults: The user defaults that hold the value.
    ///   - storage: A storage of property lists that holds the value in place of user defaults. If
    ///     both this and `userDefaults` differ from `UserDefaults.standard`, the initializer traps.
    ///   - behaviour: The cases in which a read stores the default; by default, none.
    ///   - errorHandler: A closure that receives the errors of calls that don't throw. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
    public init<Source: StorageConvertible>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        key: String,
        userDefaults: UserDefaults = .standard,
        storedBy storage: Source = UserDefaults.standard,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    )
    where
        Value: PropertyListRepresentable,
        Source.ConvertedStorage: Storage<String, PropertyListValue>
    {
        let form = StoredForm<Value, _>(list: IdentityTransformer())
        self.init(key, userDefaults, storage, as: form, wrappedValue, behaviour, errorHandler)
    }

    /// Creates a property for a value in user defaults that a transformer converts.
    ///
    /// ```swift
    /// @Persisted(key: "theme", transformer: RawRepresentableTransformer())
    /// var theme = Theme.light
    /// ```
    ///
    /// ## Concurrency
    /// See ``Persisting`` for the default, and ``PersistenceErrorHandler`` for the error handler.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, written after `=`. Reads return it if no value is stored, or
    ///     if the stored value can't be read or decoded. It's evaluated at most once.
    ///   - key: The key of the value.
    ///   - userDefaults: The user defaults that hold the value.
    ///   - storage: A storage of property lists that holds the value in place of user defaults. If
    ///     both this and `userDefaults` differ from `UserDefaults.standard`, the initializer traps.
    ///   - transformer: The conversion between the value and a type that a property list can hold.
    ///   - behaviour: The cases in which a read stores the default; by default, none.
    ///   - errorHandler: A closure that receives the errors of calls that don't throw. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
    public init<Source: StorageConvertible, Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        key: String,
        userDefaults: UserDefaults = .standard,
        storedBy storage: Source = UserDefaults.standard,
        transformer: Form,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    )
    where
        Form.Input == Value,
        Form.Output: PropertyListRepresentable,
        Source.ConvertedStorage: Storage<String, PropertyListValue>
    {
        let form = StoredForm<Value, _>(list: transformer)
        self.init(key, userDefaults, storage, as: form, wrappedValue, behaviour, errorHandler)
    }

    /// Creates a property for a value in a storage.
    ///
    /// ```swift
    /// @Persisted(key: "token", storedBy: Keychain()) var token = Data()
    /// ```
    ///
    /// The value has the type that the storage holds.
    ///
    /// ## Concurrency
    /// See ``Persisting`` for the default, and ``PersistenceErrorHandler`` for the error handler.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, written after `=`. Reads return it if no value is stored, or
    ///     if the stored value can't be read or decoded. It's evaluated at most once.
    ///   - key: The key of the value.
    ///   - storage: The storage that holds the value.
    ///   - behaviour: The cases in which a read stores the default; by default, none.
    ///   - errorHandler: A closure that receives the errors of calls that don't throw. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
    public init<Base: Storage>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        key: Base.Key,
        storedBy storage: Base,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Base.Value {
        let form = StoredForm<Value, _>(IdentityTransformer())
        self.init(key, in: storage, as: form, wrappedValue, behaviour, errorHandler)
    }

    /// Creates a property for a value in a storage that a transformer converts.
    ///
    /// ```swift
    /// @Persisted(key: "order", storedBy: Keychain(), transformer: JSONTransformer())
    /// var order = Order()
    /// ```
    ///
    /// ## Concurrency
    /// See ``Persisting`` for the default, and ``PersistenceErrorHandler`` for the error handler.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, written after `=`. Reads return it if no value is stored, or
    ///     if the stored value can't be read or decoded. It's evaluated at most once.
    ///   - key: The key of the value.
    ///   - storage: The storage that holds the value.
    ///   - transformer: The conversion between the value and the type that the storage holds.
    ///   - behaviour: The cases in which a read stores the default; by default, none.
    ///   - errorHandler: A closure that receives the errors of calls that don't throw. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
    public init<Base: Storage, Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        key: Base.Key,
        storedBy storage: Base,
        transformer: Form,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Value, Form.Output == Base.Value {
        let form = StoredForm<Value, _>(transformer)
        self.init(key, in: storage, as: form, wrappedValue, behaviour, errorHandler)
    }

    /// Creates a property for the data in a file.
    ///
    /// ```swift
    /// @Persisted(file: folder.appendingPathComponent("note.txt")) var note = Data()
    /// ```
    ///
    /// ## Concurrency
    /// See ``Persisting`` for the default, and ``PersistenceErrorHandler`` for the error handler.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, written after `=`. Reads return it if no value is stored, or
    ///     if the stored value can't be read or decoded. It's evaluated at most once.
    ///   - file: The URL of the file. If it isn't a file URL, reads and writes fail.
    ///   - behaviour: The cases in which a read stores the default; by default, none.
    ///   - errorHandler: A closure that receives the errors of calls that don't throw. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        file: URL,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Data {
        let form = StoredForm<Value, _>(IdentityTransformer())
        self.init(file, in: FileStorage(), as: form, wrappedValue, behaviour, errorHandler)
    }

    /// Creates a property for a value in a file that a transformer converts.
    ///
    /// ```swift
    /// @Persisted(file: draftFile, transformer: JSONTransformer()) var draft = Order()
    /// ```
    ///
    /// ## Concurrency
    /// See ``Persisting`` for the default, and ``PersistenceErrorHandler`` for the error handler.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, written after `=`. Reads return it if no value is stored, or
    ///     if the stored value can't be read or decoded. It's evaluated at most once.
    ///   - file: The URL of the file. If it isn't a file URL, reads and writes fail.
    ///   - transformer: The conversion between the value and the contents of the file.
    ///   - behaviour: The cases in which a read stores the default; by default, none.
    ///   - errorHandler: A closure that receives the errors of calls that don't throw. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
    public init<Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        file: URL,
        transformer: Form,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Value, Form.Output == Data {
        let form = StoredForm<Value, _>(transformer)
        self.init(file, in: FileStorage(), as: form, wrappedValue, behaviour, errorHandler)
    }
}
