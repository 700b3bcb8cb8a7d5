// A persister is made for a storage and, if values have another form there, a transformer. There are four
// initializers of each kind, for values that are always there and for optional ones: a storage holds the
// values or what the transformer makes of them, exactly or as property lists.

extension Persister {
    /// Creates a persister of values that have another form in their storage.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: Where it is stored.
    ///   - transformer: Turns it into what the storage holds.
    ///   - defaultValue: What is read while nothing is stored; evaluated when it is first needed, at most
    ///     once. It may write with this persister, but not read or remove the value.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
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

    /// Creates a persister of optional values that have another form in their storage; storing `nil`
    /// removes what is there.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: Where it is stored.
    ///   - transformer: Turns it into what the storage holds, unless it is `nil`.
    ///   - defaultValue: What is read while nothing is stored; evaluated when it is first needed, at most
    ///     once.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
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

    /// Creates a persister of values whose other form a property list holds.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: Where it is stored.
    ///   - transformer: Turns it into what a property list holds.
    ///   - defaultValue: What is read while nothing is stored; evaluated when it is first needed, at most
    ///     once.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
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

    /// Creates a persister of optional values whose other form a property list holds; storing `nil`
    /// removes what is there.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: Where it is stored.
    ///   - transformer: Turns it into what a property list holds, unless it is `nil`.
    ///   - defaultValue: What is read while nothing is stored; evaluated when it is first needed, at most
    ///     once.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
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

    /// Creates a persister of values that a storage holds as they are.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: Where it is stored.
    ///   - defaultValue: What is read while nothing is stored; evaluated when it is first needed, at most
    ///     once.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
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

    /// Creates a persister of optional values that a storage holds as they are; storing `nil` removes what
    /// is there.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: Where it is stored.
    ///   - defaultValue: What is read while nothing is stored; evaluated when it is first needed, at most
    ///     once.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
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

    /// Creates a persister of values that a property list holds.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: Where it is stored.
    ///   - defaultValue: What is read while nothing is stored; evaluated when it is first needed, at most
    ///     once.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
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

    /// Creates a persister of optional values that a property list holds; storing `nil` removes what is
    /// there.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - storage: Where it is stored.
    ///   - defaultValue: What is read while nothing is stored; evaluated when it is first needed, at most
    ///     once.
    ///   - behaviour: When the default value is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
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

    /// What all the others come to.
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
