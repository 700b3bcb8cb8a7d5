// A persister has a storage and, if values have another form in the storage, a transformer. Each
// kind of storage has two initializers with a transformer and two without: one for values that
// always exist and one for optional values. A storage holds the values, or their transformed form,
// either directly or as property lists.

extension Persister {
    /// Creates a persister of values that have another form in their storage.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: The storage of the value.
    ///   - transformer: The transformer between the value and its stored form.
    ///   - defaultValue: The value that reads return while no value is stored or the stored value
    ///     can't be read. It's evaluated at most once, when it's first needed. It may store a value
    ///     with this persister, but must not read or remove the value.
    ///   - behaviour: The occasions on which the default value is stored.
    ///   - errorHandler: The handler of errors that no call can throw. If it's `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public convenience init<Place: Storage, Form: Transformer>(
        key: Place.Key,
        storedBy storage: Place,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Value, Form.Output == Place.Value {
        self.init(
            KeySlot(storage, key),
            encode: transformer.transformValue,
            decode: transformer.untransformValue,
            defaultValue,
            behaviour,
            errorHandler
        )
    }

    /// Creates a persister of optional values that have another form in their storage.
    ///
    /// Storing `nil` removes the stored value.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: The storage of the value.
    ///   - transformer: The transformer between a non-`nil` value and its stored form.
    ///   - defaultValue: The value that reads return while no value is stored or the stored value
    ///     can't be read. It's evaluated at most once, when it's first needed.
    ///   - behaviour: The occasions on which the default value is stored.
    ///   - errorHandler: The handler of errors that no call can throw. If it's `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public convenience init<Place: Storage, Form: Transformer>(
        key: Place.Key,
        storedBy storage: Place,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Form.Input?, Form.Output == Place.Value {
        self.init(
            KeySlot(storage, key),
            encode: { try $0.map(transformer.transformValue) },
            decode: transformer.untransformValue,
            defaultValue,
            behaviour,
            errorHandler
        )
    }

    /// Creates a persister of values that are stored in another form in a property list.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: The storage of the value.
    ///   - transformer: The transformer between the value and a type that a property list can hold.
    ///   - defaultValue: The value that reads return while no value is stored or the stored value
    ///     can't be read. It's evaluated at most once, when it's first needed.
    ///   - behaviour: The occasions on which the default value is stored.
    ///   - errorHandler: The handler of errors that no call can throw. If it's `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public convenience init<Place: Storage, Form: Transformer>(
        key: Place.Key,
        storedBy storage: Place,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    )
    where
        Form.Input == Value, Form.Output: PropertyListRepresentable,
        Place.Value == PropertyListValue
    {
        self.init(
            key: key,
            storedBy: storage,
            transformer: transformer.append(PropertyListValueTransformer()),
            defaultValue: defaultValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates a persister of optional values that are stored in another form in a property list.
    ///
    /// Storing `nil` removes the stored value.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: The storage of the value.
    ///   - transformer: The transformer between a non-`nil` value and a type that a property list
    ///     can hold.
    ///   - defaultValue: The value that reads return while no value is stored or the stored value
    ///     can't be read. It's evaluated at most once, when it's first needed.
    ///   - behaviour: The occasions on which the default value is stored.
    ///   - errorHandler: The handler of errors that no call can throw. If it's `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public convenience init<Place: Storage, Form: Transformer>(
        key: Place.Key,
        storedBy storage: Place,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    )
    where
        Value == Form.Input?, Form.Output: PropertyListRepresentable,
        Place.Value == PropertyListValue
    {
        self.init(
            key: key,
            storedBy: storage,
            transformer: transformer.append(PropertyListValueTransformer()),
            defaultValue: defaultValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates a persister of values that the storage holds without a transformation.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: The storage of the value.
    ///   - defaultValue: The value that reads return while no value is stored or the stored value
    ///     can't be read. It's evaluated at most once, when it's first needed.
    ///   - behaviour: The occasions on which the default value is stored.
    ///   - errorHandler: The handler of errors that no call can throw. If it's `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public convenience init<Place: Storage>(
        key: Place.Key,
        storedBy storage: Place,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Place.Value {
        self.init(
            key: key,
            storedBy: storage,
            transformer: IdentityTransformer(),
            defaultValue: defaultValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates a persister of optional values that the storage holds without a transformation.
    ///
    /// Storing `nil` removes the stored value.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: The storage of the value.
    ///   - defaultValue: The value that reads return while no value is stored or the stored value
    ///     can't be read. It's evaluated at most once, when it's first needed.
    ///   - behaviour: The occasions on which the default value is stored.
    ///   - errorHandler: The handler of errors that no call can throw. If it's `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public convenience init<Place: Storage>(
        key: Place.Key,
        storedBy storage: Place,
        defaultValue: @autoclosure @escaping @Sendable () -> Value = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Place.Value? {
        self.init(
            key: key,
            storedBy: storage,
            transformer: IdentityTransformer(),
            defaultValue: defaultValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates a persister of values that a property list can hold.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: The storage of the value.
    ///   - defaultValue: The value that reads return while no value is stored or the stored value
    ///     can't be read. It's evaluated at most once, when it's first needed.
    ///   - behaviour: The occasions on which the default value is stored.
    ///   - errorHandler: The handler of errors that no call can throw. If it's `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public convenience init<Place: Storage>(
        key: Place.Key,
        storedBy storage: Place,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value: PropertyListRepresentable, Place.Value == PropertyListValue {
        self.init(
            key: key,
            storedBy: storage,
            transformer: PropertyListValueTransformer(),
            defaultValue: defaultValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates a persister of optional values that a property list can hold.
    ///
    /// Storing `nil` removes the stored value.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: The storage of the value.
    ///   - defaultValue: The value that reads return while no value is stored or the stored value
    ///     can't be read. It's evaluated at most once, when it's first needed.
    ///   - behaviour: The occasions on which the default value is stored.
    ///   - errorHandler: The handler of errors that no call can throw. If it's `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public convenience init<Place: Storage, Wrapped: PropertyListRepresentable>(
        key: Place.Key,
        storedBy storage: Place,
        defaultValue: @autoclosure @escaping @Sendable () -> Value = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Wrapped?, Place.Value == PropertyListValue {
        self.init(
            key: key,
            storedBy: storage,
            transformer: PropertyListValueTransformer(),
            defaultValue: defaultValue(),
            defaultValuePersistBehaviour: behaviour,
            onError: errorHandler
        )
    }

    /// Creates a persister of a slot.
    ///
    /// All other initializers call this one.
    convenience init<Place: Storage>(
        _ slot: KeySlot<Place>,
        encode: @escaping @Sendable (Value) throws -> Place.Value?,
        decode: @escaping @Sendable (Place.Value) throws -> Value,
        _ defaultValue: @escaping @Sendable () -> Value,
        _ behaviour: DefaultValuePersistBehaviour,
        _ errorHandler: PersistenceErrorHandler?
    ) {
        let (key, storage) = (slot.key, slot.storage)
        self.init(
            CodedSlot(slot, encode: encode, decode: decode),
            defaultValue: DefaultValue(name: { "'\(key)' in \(storage)" }, defaultValue),
            behaviour: behaviour,
            onError: errorHandler
        )
    }
}
