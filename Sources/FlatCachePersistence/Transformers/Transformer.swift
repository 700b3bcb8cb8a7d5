/// A two-way conversion between values and their stored form.
///
/// To convert values yourself, conform a type:
///
/// ```swift
/// struct TrimmedText: Transformer {
///     func transformValue(_ value: String) -> String {
///         value.trimmingCharacters(in: .whitespaces)
///     }
///
///     func untransformValue(_ output: String) -> String { output }
/// }
///
/// @Persisted(key: "note", transformer: TrimmedText()) var note = ""
/// note = "  read Tehanu  "
/// print(UserDefaults.standard.string(forKey: "note") ?? "")  // read Tehanu
/// ```
///
/// To combine transformers, use ``append(_:)``:
///
/// ```swift
/// let stored = RawRepresentableTransformer<Theme>().append(PropertyListValueTransformer())
/// ```
public protocol Transformer<Input, Output>: Sendable {
    /// The type of the values.
    associatedtype Input: Sendable

    /// The type of the stored form.
    associatedtype Output: Sendable

    /// Converts a value to its stored form.
    ///
    /// - Parameter value: The value.
    /// - Returns: The stored form.
    /// - Throws: An error if the value has no stored form.
    func transformValue(_ value: Input) throws -> Output

    /// Converts a stored form back to its value.
    ///
    /// Don't trust the stored form: it may come from a file that other programs can write.
    ///
    /// - Parameter output: The stored form.
    /// - Returns: The value.
    /// - Throws: An error if this isn't the stored form of a value.
    func untransformValue(_ output: Output) throws -> Input
}

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
