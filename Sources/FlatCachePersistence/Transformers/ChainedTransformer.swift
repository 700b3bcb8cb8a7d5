/// Two transformers, one after the other; what they have done is undone in reverse.
public struct ChainedTransformer<First: Transformer, Second: Transformer>: Transformer
where First.Output == Second.Input {
    private let first: First
    private let second: Second

    init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    /// Turns a value into what the second makes of what the first makes of it.
    ///
    /// - Parameter value: The value.
    public func transformValue(_ value: First.Input) throws -> Second.Output {
        try second.transformValue(try first.transformValue(value))
    }

    /// Turns that back into the value.
    ///
    /// - Parameter output: What the second has made.
    public func untransformValue(_ output: Second.Output) throws -> First.Input {
        try first.untransformValue(try second.untransformValue(output))
    }
}

extension Transformer {
    /// Returns a transformer that hands what this one makes to another.
    ///
    /// - Parameter next: The other, which takes what this one makes.
    public func append<Next: Transformer>(_ next: Next) -> ChainedTransformer<Self, Next>
    where Next.Input == Output {
        ChainedTransformer(self, next)
    }
}
