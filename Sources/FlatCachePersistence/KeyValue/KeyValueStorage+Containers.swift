extension KeyValueStorage {
    /// Returns a container of one value.
    ///
    /// ```swift
    /// extension UserDefaultsStorage {
    ///     var theme: KeyValueContainer<Theme> { makeContainer(defaultValue: .light) }
    /// }
    /// ```
    ///
    /// Use a key for values of one type. A container of another type can't decode the value, and
    /// reports it as corrupt.
    ///
    /// - Parameters:
    ///   - key: The key, without the prefix; by default, the name of the property.
    ///   - defaultValue: The value that reads return if no value is stored. Each container
    ///     evaluates it at most once, when it is first needed.
    ///   - behaviour: The cases in which the default value is stored.
    /// - Returns: The container.
    public func makeContainer<Value: Codable & Sendable>(
        key: String = #function,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = []
    ) -> KeyValueContainer<Value> {
        container(key, StoredForm(CodableTransformer<Value, Base.Value>()), behaviour, defaultValue)
    }

    /// Returns a container of one optional value; setting it to `nil` removes the stored value.
    ///
    /// ```swift
    /// extension UserDefaultsStorage {
    ///     var bookmark: KeyValueContainer<Int?> { makeContainer() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key, without the prefix; by default, the name of the property.
    ///   - defaultValue: The value that reads return if no value is stored. Each container
    ///     evaluates it at most once, when it is first needed.
    ///   - behaviour: The cases in which the default value is stored.
    /// - Returns: The container.
    public func makeContainer<Wrapped: Codable & Sendable>(
        key: String = #function,
        defaultValue: @autoclosure @escaping @Sendable () -> Wrapped? = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = []
    ) -> KeyValueContainer<Wrapped?> {
        container(
            key,
            StoredForm(CodableTransformer<Wrapped, Base.Value>()),
            behaviour,
            defaultValue
        )
    }

    private func container<Value: Sendable>(
        _ key: String,
        _ form: StoredForm<Value, Base.Value>,
        _ behaviour: DefaultValuePersistBehaviour,
        _ defaultValue: @escaping @Sendable () -> Value
    ) -> KeyValueContainer<Value> {
        KeyValueContainer(
            storage: self,
            key: key,
            storedKey: keyPrefix + key,
            persister: persister(key, as: form, behaviour, defaultValue)
        )
    }
}

extension KeyValueStorage {
    /// Not available: a value that isn't optional needs a default.
    @available(
        *,
        unavailable,
        message: """
            a value that isn't optional needs a default: write 'makeContainer(defaultValue: value)', or \
            make it a container of an optional
            """
    )
    public func makeContainer<Value: Codable & Sendable>(
        key: String = #function,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = []
    ) -> KeyValueContainer<Value> {
        preconditionFailure("This container needs a default value. Pass one as defaultValue.")
    }
}
