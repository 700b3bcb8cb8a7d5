/// A transformer that converts values to their raw values.
///
/// ```swift
/// @Persisted(key: "theme", storedBy: storage, transformer: RawRepresentableTransformer())
/// var theme = Theme.light
/// ```
public struct RawRepresentableTransformer<Value: RawRepresentable & Sendable>: Transformer
where Value.RawValue: Sendable {
    /// Creates a transformer.
    public init() {}

    /// Returns the raw value of a value.
    ///
    /// - Parameter value: The value.
    public func transformValue(_ value: Value) -> Value.RawValue { value.rawValue }

    /// Returns the value for a raw value.
    ///
    /// ```swift
    /// do {
    ///     _ = try RawRepresentableTransformer<Theme>().untransformValue("sepia")
    /// } catch {
    ///     print(error)  // No value of the type Theme has the raw value "sepia".
    /// }
    /// ```
    ///
    /// - Parameter output: The raw value.
    /// - Throws: ``UnknownRawValueError`` if no value has this raw value.
    public func untransformValue(_ output: Value.RawValue) throws -> Value {
        guard let value = Value(rawValue: output) else {
            throw UnknownRawValueError(
                rawValue: String(reflecting: output),
                type: "\(Value.self)"
            )
        }
        return value
    }
}

/// An error that indicates that no value of a type has a raw value.
///
/// A newer version of a program may have stored such a raw value.
public struct UnknownRawValueError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The raw value, as text.
    public let rawValue: String

    /// The type, as text.
    public let type: String

    /// A sentence that names the raw value and the type.
    public var description: String { "No value of the type \(type) has the raw value \(rawValue)." }
}
