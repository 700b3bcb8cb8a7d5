public import Foundation

// What the compiler says where a default or a transformer is missing, instead of looking for an
// optional that isn't there.
extension Persisted {
    /// Not available: a property that isn't optional needs a default.
    @available(
        *,
        unavailable,
        message: "a property that isn't optional needs a default: write '= value' behind it"
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
        message: "the user's defaults don't hold this type: add 'transformer: JSONTransformer()'"
    )
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        key: String,
        userDefaults: UserDefaults,
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
        wrappedValue: @autoclosure @escaping @Sendable () -> Value,
        file: URL,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) { neverCalled() }
}

/// The body that the compiler wants of what it lets nobody call.
private func neverCalled() -> Never {
    preconditionFailure("An initializer that is not available has been called: give a default.")
}
