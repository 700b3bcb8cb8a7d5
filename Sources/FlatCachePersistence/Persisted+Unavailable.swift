public import Foundation

// Without these initializers, the compiler reports a missing default or transformer as a mismatch
// with an optional type.
extension Persisted {
    /// Not available: the property has no default, or is an optional of a type that user defaults
    /// can't hold.
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

    /// Not available: the property has no default, or is an optional of a type that a file can't
    /// hold.
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

    /// Not available: user defaults hold only ``PropertyListRepresentable`` values.
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

    /// Not available: a file holds only `Data`.
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

    /// A placeholder for the default of a parameter that the caller may omit.
    @usableFromInline
    static var noDefault: Value { neverCalled() }
}

/// The body of the unavailable initializers, which the compiler never lets a program call.
private func neverCalled() -> Never {
    preconditionFailure("An initializer that is not available has been called: give a default.")
}
