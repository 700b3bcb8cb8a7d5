public import Foundation

extension Persisted {
    /// Creates a property for a value in user defaults.
    ///
    /// ```swift
    /// @Persisted(key: "theme", userDefaults: .standard) var theme = "light"
    /// ```
    ///
    /// The value's type is one that a property list can hold.
    ///
    /// ## Concurrency
    /// See ``Persisting`` for the evaluation of the default.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, which is the value after `=`. Reads return it while no value
    ///     is stored or the stored value can't be read. It's evaluated at most once, when it's
    ///     first needed. It may store a value under the same key, but must not read or remove the
    ///     value.
    ///   - key: The value's key.
    ///   - userDefaults: The user defaults that hold the value.
    ///   - storage: A storage of property lists, or a value that converts to one, for values that
    ///     user defaults don't hold. Pass at most one of `userDefaults` and `storage`: the
    ///     initializer traps if both differ from `UserDefaults.standard`.
    ///   - behaviour: The occasions on which the default is stored.
    ///   - errorHandler: The handler of errors that no call can throw. If it's `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
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
        let key = PersistenceKey<Value>(key, userDefaults, storage, as: IdentityTransformer())
        self.init(key, wrappedValue, behaviour, errorHandler)
    }

    /// Creates a property for a value in user defaults that a transformer converts.
    ///
    /// ```swift
    /// @Persisted(
    ///     key: "theme",
    ///     userDefaults: .standard,
    ///     transformer: RawRepresentableTransformer()
    /// )
    /// var theme = Theme.light
    /// ```
    ///
    /// The parameter `transformer` converts between the value and a type that a property list can
    /// hold. The other parameters are those of
    /// ``init(wrappedValue:key:userDefaults:storedBy:defaultValuePersistBehaviour:onError:)``.
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
        let key = PersistenceKey<Value>(key, userDefaults, storage, as: transformer)
        self.init(key, wrappedValue, behaviour, errorHandler)
    }

    /// Creates a property for a value in a storage.
    ///
    /// ```swift
    /// @Persisted(key: "token", storedBy: Keychain()) var token = Data()
    /// ```
    ///
    /// The value has the type that the storage holds. The default is the value after `=`. The
    /// other parameters are those of
    /// ``Persisting/init(key:storedBy:defaultValue:defaultValuePersistBehaviour:onError:)``.
    public init<Base: Storage>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        key: Base.Key,
        storedBy storage: Base,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Base.Value {
        let key = PersistenceKey<Value>(key, in: storage, as: IdentityTransformer())
        self.init(key, wrappedValue, behaviour, errorHandler)
    }

    /// Creates a property for a value in a storage that a transformer converts.
    ///
    /// ```swift
    /// @Persisted(key: "order", storedBy: Keychain(), transformer: JSONTransformer())
    /// var order = Order()
    /// ```
    ///
    /// The parameter `transformer` converts between the value and its stored form. The default is
    /// the value after `=`. The other parameters are those of
    /// ``Persisting/init(key:storedBy:defaultValue:defaultValuePersistBehaviour:onError:)``.
    public init<Base: Storage, Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        key: Base.Key,
        storedBy storage: Base,
        transformer: Form,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Value, Form.Output == Base.Value {
        let key = PersistenceKey<Value>(key, in: storage, as: transformer)
        self.init(key, wrappedValue, behaviour, errorHandler)
    }

    /// Creates a property for the data in a file.
    ///
    /// ```swift
    /// @Persisted(file: folder.appendingPathComponent("note.txt")) var note = Data()
    /// ```
    ///
    /// The default is the value after `=`. The other parameters are those of
    /// ``Persisting/init(file:defaultValue:defaultValuePersistBehaviour:onError:)``.
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        file: URL,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Data {
        let key = PersistenceKey<Value>(file, in: FileStorage(), as: IdentityTransformer())
        self.init(key, wrappedValue, behaviour, errorHandler)
    }

    /// Creates a property for a value in a file that a transformer converts.
    ///
    /// ```swift
    /// @Persisted(file: draftFile, transformer: JSONTransformer()) var draft = Order()
    /// ```
    ///
    /// The parameter `transformer` converts between the value and the file's contents. The default
    /// is the value after `=`. The other parameters are those of
    /// ``Persisting/init(file:defaultValue:defaultValuePersistBehaviour:onError:)``.
    public init<Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        file: URL,
        transformer: Form,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Value, Form.Output == Data {
        let key = PersistenceKey<Value>(file, in: FileStorage(), as: transformer)
        self.init(key, wrappedValue, behaviour, errorHandler)
    }
}
