public import Foundation

extension Persisted {
    /// The initializer of a declaration that lacks a default or a transformer.
    ///
    /// Without it, the compiler reports a mismatch with an optional type.
    @available(
        *,
        unavailable,
        message: """
            a property that isn't optional needs a default: write '= value' after it; for a type \
            that isn't stored as it is, add 'transformer: JSONTransformer()', or \
            'RawRepresentableTransformer()' for raw values
            """
    )
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = missing,
        file: URL = URL(filePath: ""),
        key: String = "",
        userDefaults: UserDefaults = .standard,
        storedBy storage: Any = "",
        transformer: (any Transformer<Value, Data>)? = nil,
        defaultValue: @autoclosure @escaping @Sendable () -> Value = missing,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) { preconditionFailure("An initializer that is not available has been called.") }

    @usableFromInline
    static var missing: Value { preconditionFailure("A property lacks a default.") }
}
