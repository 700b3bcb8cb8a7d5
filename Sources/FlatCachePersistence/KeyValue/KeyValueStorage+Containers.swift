/// The persister of one value of a ``KeyValueStorage``.
///
/// ```swift
/// extension UserDefaultsStorage {
///     var theme: KeyValueContainer<Theme> { makeContainer(defaultValue: .light) }
/// }
///
/// let defaults = UserDefaultsStorage()
/// defaults.theme.value = .dark
/// ```
///
/// A computed property creates a new container at each access. That's cheap. All containers and
/// persisters of one key read the same value.
///
/// A new container accesses the storage and decodes the value at its first read. If you read a
/// value very often, keep the container: it decodes the value only after a change.
///
/// ## Concurrency
/// A container may be used on any thread; see ``Persister``. `theme.value += "!"` reads and then
/// writes, and another thread may write in between. `theme.update { $0 += "!" }` prevents this.
public typealias KeyValueContainer<Value: Sendable> = Persister<Value>

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
        let form = StoredForm<Value, _>(CodableTransformer<Value, Base.Value>())
        return persister(key, as: form, behaviour, defaultValue)
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
        let form = StoredForm<Wrapped?, _>(CodableTransformer<Wrapped, Base.Value>())
        return persister(key, as: form, behaviour, defaultValue)
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

extension KeyValueStorage {
    /// Returns the access to a key, to which the prefix of this storage is added.
    func access<Value: Sendable>(
        _ key: String,
        as form: StoredForm<Value, Base.Value>
    ) -> KeyAccess<Value, Base> {
        KeyAccess(storage, keyPrefix + key, as: form)
    }

    /// Returns a persister of an optional value without a default.
    func persister<Value: Codable & Sendable>(
        _ key: String,
        _ type: Value.Type
    ) -> Persister<Value?> {
        persister(key, as: StoredForm(CodableTransformer<Value, Base.Value>()), []) { nil }
    }

    func persister<Value: Sendable>(
        _ key: String,
        as form: StoredForm<Value, Base.Value>,
        _ behaviour: DefaultValuePersistBehaviour,
        _ defaultValue: @escaping @Sendable () -> Value
    ) -> Persister<Value> {
        let access = access(key, as: form)
        return Persister(
            access,
            behaviour: behaviour,
            onError: errorHandler,
            errors: access.errors,
            defaultValue: defaultValue
        )
    }
}

/// The conversion of `Codable` values to the form in which a storage holds them.
struct CodableTransformer<Value: Codable & Sendable, Form: KeyValueForm>: Transformer {
    func transformValue(_ value: Value) throws -> Form { try Form(encoding: value) }

    func untransformValue(_ output: Form) throws -> Value { try output.decoded(as: Value.self) }
}
