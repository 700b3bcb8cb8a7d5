// The initializers serve storages, which need a key, and files, which need none. A default argument
// can't determine a type that other requirements refer to, so the place is variadic and the key a
// pack: both can be absent without a default, and the compiler still requires a place, and a key
// exactly if the place has keys.

extension Persisting {
    /// Creates access to a value that a storage or a file holds as it is.
    ///
    /// - Parameters:
    ///   - file: The URL of the file that holds the value. The place of the value is either a file
    ///     or a storage: one parameter with two labels. A file needs no key.
    ///   - key: The value's key in the storage.
    ///   - storage: The storage of the value, or a type that converts to one.
    ///   - defaultValue: The value that reads return while no value is stored or the stored value
    ///     can't be read. It's evaluated at most once, when it's first needed. It may store a value
    ///     under the same key, but must not read or remove the value.
    ///   - behaviour: The occasions on which the default is stored.
    ///   - errorHandler: The handler of errors that no call can throw. If it's `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init<Place: StorageConvertible, each Key>(
        file: Place...,
        key: repeat each Key,
        storedBy storage: Place...,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Place.ConvertedStorage.Value, (repeat each Key) == Place.KeyArgument {
        self.init(
            PersistenceKey((repeat each key), in: file + storage, as: IdentityTransformer()),
            defaultValue,
            behaviour,
            errorHandler
        )
    }

    /// Creates access to a value that has another form in its storage or file.
    ///
    /// The other parameters are those of
    /// ``init(file:key:storedBy:defaultValue:defaultValuePersistBehaviour:onError:)``.
    ///
    /// - Parameter transformer: The transformer between the value and its stored form.
    public init<Place: StorageConvertible, each Key, Form: Transformer>(
        file: Place...,
        key: repeat each Key,
        storedBy storage: Place...,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
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
            defaultValue,
            behaviour,
            errorHandler
        )
    }

    /// Creates access to an optional value that a storage or a file holds as it is.
    ///
    /// The default is `wrappedValue`, or `defaultValue` if the former is `nil`. Storing `nil`
    /// removes the stored value. The other parameters are those of
    /// ``init(file:key:storedBy:defaultValue:defaultValuePersistBehaviour:onError:)``.
    public init<Place: StorageConvertible, each Key>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        file: Place...,
        key: repeat each Key,
        storedBy storage: Place...,
        defaultValue: @autoclosure @escaping @Sendable () -> Value = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Place.ConvertedStorage.Value?, (repeat each Key) == Place.KeyArgument {
        self.init(
            PersistenceKey((repeat each key), in: file + storage, as: IdentityTransformer()),
            { wrappedValue() ?? defaultValue() },
            behaviour,
            errorHandler
        )
    }

    /// Creates access to an optional value that has another form in its storage or file.
    ///
    /// The default is `wrappedValue`, or `defaultValue` if the former is `nil`. Storing `nil`
    /// removes the stored value. The other parameters are those of
    /// ``init(file:key:storedBy:defaultValue:defaultValuePersistBehaviour:onError:)``.
    ///
    /// - Parameter transformer: The transformer between a non-`nil` value and its stored form.
    public init<Place: StorageConvertible, each Key, Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        file: Place...,
        key: repeat each Key,
        storedBy storage: Place...,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    )
    where
        Value == Form.Input?,
        Form.Output == Place.ConvertedStorage.Value,
        (repeat each Key) == Place.KeyArgument
    {
        self.init(
            PersistenceKey((repeat each key), in: file + storage, as: transformer),
            { wrappedValue() ?? defaultValue() },
            behaviour,
            errorHandler
        )
    }
}
