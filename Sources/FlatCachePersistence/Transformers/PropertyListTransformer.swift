public import Foundation

/// Turns values into property lists, as bytes.
///
/// Any `Codable` value will do, also a single number or text. What is ``PropertyListRepresentable``
/// lies there as it is. Equal values have equal bytes in XML, which has its keys in order; in the
/// binary format the order of keys, and so the bytes, may differ.
public struct PropertyListTransformer<Value: Codable & Sendable>: Transformer {
    /// How a property list is written; both are read.
    public enum Format: Hashable, Sendable {
        /// Text that people can edit. A date has whole seconds.
        case xml
        /// Bytes.
        case binary
    }

    private let format: Format

    /// Creates a transformer.
    ///
    /// - Parameter format: How property lists are written.
    public init(format: Format = .xml) {
        self.format = format
    }

    /// Turns a value into a property list.
    ///
    /// - Parameter value: The value.
    /// - Throws: ``PropertyListError`` if a property list cannot hold it, or what the value throws.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public func transformValue(_ value: Value) throws -> Data {
        let list = try PropertyListValue(encoding: value)
        return switch format {
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
