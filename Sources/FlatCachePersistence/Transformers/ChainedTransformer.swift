/// A transformer that applies two transformers in sequence.
///
/// ```swift
/// let stored = RawRepresentableTransformer<Theme>().append(PropertyListValueTransformer())
/// print(try stored.transformValue(.dark))  // string("dark")
/// ```
///
/// ``Transformer/append(_:)`` creates it.
public struct ChainedTransformer<First: Transformer, Second: Transformer>: Transformer
where First.Output == Second.Input {
    private let first: First
    private let second: Second

    init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    /// Applies the first transformer to a value, and the second transformer to the result.
    ///
    /// - Parameter value: The value.
    public func transformValue(_ value: First.Input) throws -> Second.Output {
        try second.transformValue(try first.transformValue(value))
    }

    /// Restores a value from the output of the second transformer.
    ///
    /// - Parameter output: The output of the second transformer.
    public func untransformValue(_ output: Second.Output) throws -> First.Input {
        try first.untransformValue(try second.untransformValue(output))
    }
}

extension Transformer {
    /// Returns a transformer that passes the output of this transformer to another one.
    ///
    /// When a value is read, the other transformer runs first.
    ///
    /// ```swift
    /// struct Compressed: Transformer {
    ///     func transformValue(_ value: Data) throws -> Data { value }
    ///     func untransformValue(_ output: Data) throws -> Data { output }
    /// }
    ///
    /// @Persisted(file: draftFile, transformer: JSONTransformer().append(Compressed()))
    /// var draft = Order()
    /// ```
    ///
    /// - Parameter next: The transformer that receives the output.
    public func append<Next: Transformer>(_ next: Next) -> ChainedTransformer<Self, Next>
    where Next.Input == Output {
        ChainedTransformer(self, next)
    }
}
