public import Foundation

/// A transformer that converts `Codable` values to property lists, as bytes.
///
/// ```swift
/// let draft = Persister(
///     file: folder.appendingPathComponent("draft.plist"),
///     transformer: PropertyListTransformer<Order>(outputFormat: .xml),
///     defaultValue: Order()
/// )
/// ```
///
/// It accepts any `Codable` value, including a single number or string. Values of the property-list
/// types, such as numbers, strings, data and dates, keep their types in the property list. Keys are
/// sorted, so equal values have equal bytes.
public struct PropertyListTransformer<Value: Codable & Sendable>: Transformer {
    /// The format of the property lists that a transformer writes.
    ///
    /// A transformer reads both formats.
    public enum Format: Hashable, Sendable {
        /// XML text that people can edit. Dates keep whole seconds only.
        case xml
        /// Binary data. It keeps dates exactly.
        case binary
    }

    private let outputFormat: Format

    /// Creates a transformer.
    ///
    /// - Parameter outputFormat: The format to write.
    public init(outputFormat: Format = .binary) {
        self.outputFormat = outputFormat
    }

    /// Converts a value to a property list.
    ///
    /// - Parameter value: The value.
    /// - Throws: ``PropertyListError`` if a property list can't hold the value, or any error that
    ///   the value throws.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public func transformValue(_ value: Value) throws -> Data {
        let list = try PropertyListValue(encoding: value)
        return switch outputFormat {
        case .xml: try list.withWholeSeconds.propertyListData(format: .xml)
        case .binary: try list.propertyListData(format: .binary)
        }
    }

    /// Converts a property list in either format to a value.
    ///
    /// - Parameter output: The property list.
    /// - Throws: ``PropertyListError``, `DecodingError`, or any error that the type throws.
    /// - Complexity: O(*n*), where *n* is the size of the property list.
    public func untransformValue(_ output: Data) throws -> Value {
        try PropertyListValue(propertyListData: output).decoded(as: Value.self)
    }
}
