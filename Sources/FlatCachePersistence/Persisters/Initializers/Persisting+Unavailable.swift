public import Foundation

extension Persisting {
    /// The initializer of a call that lacks a default or a transformer.
    ///
    /// Without it, the compiler reports a mismatch with an optional type, or no reason at all. The
    /// compiler can't tell the two causes apart, so the message names a condition for each remedy.
    @available(
        *,
        unavailable,
        message: """
            if the value isn't optional and has no default, add '= value' to the property, or \
            'defaultValue: value' to the arguments; if the storage can't hold values of this type, \
            add 'transformer: JSONTransformer()', or 'RawRepresentableTransformer()' for raw values
            """
    )
    public init<Source: StorageConvertible>(
        wrappedValue: @autoclosure () -> Value = missing,
        file: URL = URL(filePath: ""),
        key: Source.ConvertedStorage.Key? = nil,
        userDefaults: UserDefaults = .standard,
        storedBy storage: Source = UserDefaults.standard,
        transformer: (any Transformer<Value, Data>)? = nil,
        defaultValue: @autoclosure () -> Value = missing,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) { preconditionFailure("An initializer that is not available has been called.") }

    @usableFromInline
    static var missing: Value { preconditionFailure("The value lacks a default.") }
}
