public import Foundation

extension Persisted {
    /// Creates a property of a type that a property list can hold.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, which the declaration gives after `=`. Reads return it while
    ///     no value is stored or the stored value can't be read. It's evaluated at most once, when
    ///     it's first needed.
    ///   - key: The value's key.
    ///   - userDefaults: The user defaults that hold the value.
    ///   - storage: A storage that holds the value, or a type that converts to one. If it's
    ///     `UserDefaults.standard`, its default, `userDefaults` hold the value.
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
        Source.ConvertedStorage.Key == String,
        Source.ConvertedStorage.Value == PropertyListValue
    {
        self.init(
            PersistenceKey(key, userDefaults, storage, as: IdentityTransformer()),
            wrappedValue,
            behaviour,
            errorHandler
        )
    }

    /// Creates a property whose value has another form in a property list.
    ///
    /// The other parameters are those of the initializer without a transformer.
    ///
    /// `transformer` converts between the value and a type that a property list
    /// can hold.
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
        Source.ConvertedStorage.Key == String,
        Source.ConvertedStorage.Value == PropertyListValue
    {
        self.init(
            PersistenceKey(key, userDefaults, storage, as: transformer),
            wrappedValue,
            behaviour,
            errorHandler
        )
    }

    /// Creates a property whose value a storage holds as it is.
    ///
    /// The default is the value after `=`; the other parameters are those of
    /// ``Persisting/init(key:storedBy:defaultValue:defaultValuePersistBehaviour:onError:)``.
    public init<Base: Storage>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        key: Base.Key,
        storedBy storage: Base,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Base.Value {
        self.init(
            PersistenceKey(key, in: storage, as: IdentityTransformer()),
            wrappedValue,
            behaviour,
            errorHandler
        )
    }

    /// Creates a property whose value has another form in its storage.
    ///
    /// The other parameters are those of the initializer without a transformer.
    ///
    /// `transformer` converts between the value and its stored form.
    public init<Base: Storage, Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        key: Base.Key,
        storedBy storage: Base,
        transformer: Form,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Value, Form.Output == Base.Value {
        self.init(
            PersistenceKey(key, in: storage, as: transformer),
            wrappedValue,
            behaviour,
            errorHandler
        )
    }

    /// Creates a property of the contents of a file.
    ///
    /// The default is the value after `=`; the other parameters are those of
    /// ``Persisting/init(file:defaultValue:defaultValuePersistBehaviour:onError:)``.
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        file: URL,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Data {
        self.init(
            PersistenceKey(file, in: FileStorage(), as: IdentityTransformer()),
            wrappedValue,
            behaviour,
            errorHandler
        )
    }

    /// Creates a property whose value a file holds.
    ///
    /// The other parameters are those of the initializer without a transformer.
    ///
    /// `transformer` converts between the value and the file's contents.
    public init<Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        file: URL,
        transformer: Form,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Value, Form.Output == Data {
        self.init(
            PersistenceKey(file, in: FileStorage(), as: transformer),
            wrappedValue,
            behaviour,
            errorHandler
        )
    }
}
