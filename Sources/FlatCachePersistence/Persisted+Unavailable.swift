public import Foundation

// What the compiler says where a default or a transformer is missing, instead of looking for an
// optional that isn't there.
extension Persisted {
    /// Not available: the property needs a default, or is an optional of a type that the defaults don't
    /// hold.
    @available(
        *,
        unavailable,
        message: """
            a property that isn't optional needs a default: write '= value' behind it; an optional of \
            this type needs 'transformer: JSONTransformer()', or 'RawRepresentableTransformer()' for \
            raw values
            """
    )
    public init(
        key: String,
        userDefaults: UserDefaults,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) { neverCalled() }

    /// Not available: a property that isn't optional needs a default.
    @available(
        *,
        unavailable,
        message: "a property that isn't optional needs a default: write '= value' behind it"
    )
    public init<Form: Transformer>(
        key: String,
        userDefaults: UserDefaults,
        transformer: Form,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Value { neverCalled() }

    /// Not available: the property needs a default, or is an optional of a type that a file doesn't hold.
    @available(
        *,
        unavailable,
        message: """
            a property that isn't optional needs a default: write '= value' behind it; an optional of \
            this type needs 'transformer: JSONTransformer()'
            """
    )
    public init(
        file: URL,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) { neverCalled() }

    /// Not available: a property that isn't optional needs a default.
    @available(
        *,
        unavailable,
        message: "a property that isn't optional needs a default: write '= value' behind it"
    )
    public init<Form: Transformer>(
        file: URL,
        transformer: Form,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Value { neverCalled() }

    /// Not available: the user's defaults hold only what is ``PropertyListRepresentable``.
    @available(
        *,
        unavailable,
        message: """
            the user's defaults don't hold this type: add 'transformer: JSONTransformer()', or \
            'RawRepresentableTransformer()' for raw values
            """
    )
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = noDefault,
        key: String,
        userDefaults: UserDefaults,
        defaultValue: @autoclosure @escaping @Sendable () -> Value = noDefault,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) { neverCalled() }

    /// Not available: a file holds only data.
    @available(
        *,
        unavailable,
        message: "a file doesn't hold this type: add 'transformer: JSONTransformer()'"
    )
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = noDefault,
        file: URL,
        defaultValue: @autoclosure @escaping @Sendable () -> Value = noDefault,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) { neverCalled() }

    /// Stands in for a default that the caller gives in another parameter.
    @usableFromInline
    static var noDefault: Value { neverCalled() }
}

/// The body that the compiler wants of what it lets nobody call.
private func neverCalled() -> Never {
    preconditionFailure("An initializer that is not available has been called: give a default.")
}
