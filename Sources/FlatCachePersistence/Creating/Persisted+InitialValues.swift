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
        Source.KeyArgument == String,
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
    /// - Parameter transformer: The transformer between the value and a type that a property list
    ///   can hold.
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
        Source.KeyArgument == String,
        Source.ConvertedStorage.Value == PropertyListValue
    {
        self.init(
            PersistenceKey(key, userDefaults, storage, as: transformer),
            wrappedValue,
            behaviour,
            errorHandler
        )
    }

    /// Creates a property whose value a storage or a file holds as it is.
    ///
    /// The default is the value after `=`; the other parameters are those of
    /// ``Persisting/init(file:key:storedBy:defaultValue:defaultValuePersistBehaviour:onError:)``.
    public init<Place: StorageConvertible, each Key>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        file: Place...,
        key: repeat each Key,
        storedBy storage: Place...,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Place.ConvertedStorage.Value, (repeat each Key) == Place.KeyArgument {
        self.init(
            PersistenceKey((repeat each key), in: file + storage, as: IdentityTransformer()),
            wrappedValue,
            behaviour,
            errorHandler
        )
    }

    /// Creates a property whose value has another form in its storage or file.
    ///
    /// The other parameters are those of the initializer without a transformer.
    ///
    /// - Parameter transformer: The transformer between the value and its stored form.
    public init<Place: StorageConvertible, each Key, Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        file: Place...,
        key: repeat each Key,
        storedBy storage: Place...,
        transformer: Form,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    )
    where
        Form.Input == Value,
        Form.Output == Place.ConvertedStorage.Value,
        (repeat each Key) == Place.KeyArgument
    {
        self.init(
            PersistenceKey((repeat each key), in: file + storage, as: transformer),
            wrappedValue,
            behaviour,
            errorHandler
        )
    }
}
