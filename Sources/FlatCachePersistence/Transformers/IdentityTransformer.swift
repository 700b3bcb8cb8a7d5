/// A transformer that returns each value unchanged.
///
/// ```swift
/// let transformer = IdentityTransformer<Data>()
/// print(transformer.transformValue(Data([1, 2])).count)  // 2
/// ```
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
