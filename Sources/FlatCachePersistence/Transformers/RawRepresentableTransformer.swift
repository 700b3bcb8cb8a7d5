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
