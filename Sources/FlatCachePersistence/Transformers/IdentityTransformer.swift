/// A transformer that returns each value unchanged.
public struct IdentityTransformer<Value: Sendable>: Transformer {
    /// Creates a transformer.
    public init() {}

    /// Returns the value.
    ///
    /// - Parameter value: The value.
    public func transformValue(_ value: Value) -> Value { value }

    /// Returns the value.
    ///
    /// - Parameter output: The value.
    public func untransformValue(_ output: Value) -> Value { output }
}
