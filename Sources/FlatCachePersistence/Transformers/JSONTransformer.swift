public import Foundation

/// Turns values into JSON.
public struct JSONTransformer<Value: Codable & Sendable>: Transformer {
    private let configureEncoder: @Sendable (JSONEncoder) -> Void
    private let configureDecoder: @Sendable (JSONDecoder) -> Void

    /// Creates a transformer.
    ///
    /// Keys are sorted, so that equal values have equal JSON.
    ///
    /// ## Concurrency
    /// The closures are called on any thread, several at a time, each time for an object of its own.
    ///
    /// - Parameters:
    ///   - configureEncoder: Sets up an encoder that is about to be used.
    ///   - configureDecoder: Sets up a decoder that is about to be used.
    public init(
        configureEncoder: @escaping @Sendable (JSONEncoder) -> Void = { _ in },
        configureDecoder: @escaping @Sendable (JSONDecoder) -> Void = { _ in }
    ) {
        self.configureEncoder = configureEncoder
        self.configureDecoder = configureDecoder
    }

    /// Turns a value into JSON.
    ///
    /// - Parameter value: The value.
    /// - Throws: `EncodingError`.
    public func transformValue(_ value: Value) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        configureEncoder(encoder)
        return try encoder.encode(value)
    }

    /// Turns JSON back into a value.
    ///
    /// - Parameter output: The JSON.
    /// - Throws: `DecodingError`.
    public func untransformValue(_ output: Data) throws -> Value {
        let decoder = JSONDecoder()
        configureDecoder(decoder)
        return try decoder.decode(Value.self, from: output)
    }
}
