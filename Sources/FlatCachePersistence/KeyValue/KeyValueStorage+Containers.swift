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
    /// When you rename a key, pass the old one as `oldKey`; both have the same prefix. The call
    /// stores the value of the old key under the new key, once, and then removes it from the old
    /// key. If both keys have values, the new one counts, and the old one is kept. If the old value
    /// can't be read, or is of another type, it's kept as well, and the error handler receives the
    /// error. Removing the new value also removes the old one.
    ///
    /// The move isn't atomic between processes. It overwrites a value that another process stores
    /// under the new key between the last read and the write of this process.
    ///
    /// - Parameters:
    ///   - key: The key, without the prefix; by default, the name of the property.
    ///   - oldKey: The key of the value in earlier versions, without the prefix.
    ///   - defaultValue: The value that reads return if no value is stored. Each container
    ///     evaluates it at most once, when it is first needed.
    ///   - behaviour: The cases in which the default value is stored.
    /// - Returns: The container.
    public func makeContainer<Value: Codable & Sendable>(
        key: String = #function,
        migratingFrom oldKey: String? = nil,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = []
    ) -> KeyValueContainer<Value> {
        let form = StoredForm<Value, _>(CodableTransformer<Value, Base.Value>())
        return container(key, oldKey, as: form, behaviour, defaultValue)
    }

    /// Returns a container of one optional value; setting it to `nil` removes the stored value.
    ///
    /// ```swift
    /// extension UserDefaultsStorage {
    ///     var bookmark: KeyValueContainer<Int?> { makeContainer(migratingFrom: "lastPage") }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key, without the prefix; by default, the name of the property.
    ///   - oldKey: The key of the value in earlier versions, without the prefix; see
    ///     ``makeContainer(key:migratingFrom:defaultValue:defaultValuePersistBehaviour:)``.
    ///   - defaultValue: The value that reads return if no value is stored. Each container
    ///     evaluates it at most once, when it is first needed.
    ///   - behaviour: The cases in which the default value is stored.
    /// - Returns: The container.
    public func makeContainer<Wrapped: Codable & Sendable>(
        key: String = #function,
        migratingFrom oldKey: String? = nil,
        defaultValue: @autoclosure @escaping @Sendable () -> Wrapped? = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = []
    ) -> KeyValueContainer<Wrapped?> {
        let form = StoredForm<Wrapped?, _>(CodableTransformer<Wrapped, Base.Value>())
        return container(key, oldKey, as: form, behaviour, defaultValue)
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
        migratingFrom oldKey: String? = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = []
    ) -> KeyValueContainer<Value> {
        preconditionFailure("This container needs a default value. Pass one as defaultValue.")
    }
}
