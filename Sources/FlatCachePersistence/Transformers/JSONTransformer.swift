public import Foundation

/// A transformer that converts `Codable` values to JSON.
///
/// ```swift
/// @Persisted(file: draftFile, transformer: JSONTransformer()) var draft = Order()
/// ```
public struct JSONTransformer<Value: Codable & Sendable>: Transformer {
    private let configureEncoder: @Sendable (JSONEncoder) -> Void
    private let configureDecoder: @Sendable (JSONDecoder) -> Void

    /// Creates a transformer.
    ///
    /// ```swift
    /// let pretty = JSONTransformer<Order>(
    ///     configureEncoder: { $0.outputFormatting.insert(.prettyPrinted) }
    /// )
    /// let draft = Persister(file: draftFile, transformer: pretty, defaultValue: Order())
    /// ```
    ///
    /// The encoder sorts the keys, so equal values have equal JSON.
    ///
    /// ## Concurrency
    /// The transformer calls the closures on any thread, possibly several at the same time. Each
    /// call receives a new encoder or decoder.
    ///
    /// - Parameters:
    ///   - configureEncoder: A closure that configures an encoder before its use.
    ///   - configureDecoder: A closure that configures a decoder before its use.
    public init(
        configureEncoder: @escaping @Sendable (JSONEncoder) -> Void = { _ in },
        configureDecoder: @escaping @Sendable (JSONDecoder) -> Void = { _ in }
    ) {
        self.configureEncoder = configureEncoder
        self.configureDecoder = configureDecoder
    }

    /// Converts a value to JSON.
    ///
    /// ```swift
    /// let json = try JSONTransformer<Book>().transformValue(book)
    /// print(String(decoding: json, as: UTF8.self))  // {"id":1,"title":"A Wizard of Earthsea"}
    /// ```
    ///
    /// - Parameter value: The value.
    /// - Throws: `EncodingError`, or any error that the value throws.
    public func transformValue(_ value: Value) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        configureEncoder(encoder)
        return try encoder.encode(value)
    }

    /// Converts JSON to a value.
    ///
    /// - Parameter output: The JSON.
    /// - Throws: `DecodingError`, or any error that the type throws.
    public func untransformValue(_ output: Data) throws -> Value {
        let decoder = JSONDecoder()
        configureDecoder(decoder)
        return try decoder.decode(Value.self, from: output)
    }
}
