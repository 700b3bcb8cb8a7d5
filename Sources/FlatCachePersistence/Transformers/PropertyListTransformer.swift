public import Foundation

/// Turns values into property lists, as bytes.
///
/// Any `Codable` value will do, also a single number or text. Values of the property-list types, such
/// as numbers, text, data and dates, are written as they are. Equal values have equal bytes, with keys in
/// order.
public struct PropertyListTransformer<Value: Codable & Sendable>: Transformer {
    /// How a property list is written; both are read.
    public enum Format: Hashable, Sendable {
        /// Text that people can edit. A date has whole seconds.
        case xml
        /// Bytes, which keep a date exactly.
        case binary
    }

    private let outputFormat: Format

    /// Creates a transformer.
    ///
    /// - Parameter outputFormat: The format to write.
    public init(outputFormat: Format = .binary) {
        self.outputFormat = outputFormat
    }

    /// Turns a value into a property list.
    ///
    /// - Parameter value: The value.
    /// - Throws: ``PropertyListError`` if a property list cannot hold it, or what the value throws.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public func transformValue(_ value: Value) throws -> Data {
        let list = try PropertyListValue(encoding: value)
        return switch outputFormat {
        case .xml: try list.withWholeSeconds.propertyListData(format: .xml)
        case .binary: try list.propertyListData(format: .binary)
        }
    }

    /// Turns a property list, in either format, back into a value.
    ///
    /// - Parameter output: The property list.
    /// - Throws: ``PropertyListError``, `DecodingError`, or what the type throws.
    /// - Complexity: O(*n*), where *n* is the size of the property list.
    public func untransformValue(_ output: Data) throws -> Value {
        try PropertyListValue(propertyListData: output).decoded(as: Value.self)
    }
}
