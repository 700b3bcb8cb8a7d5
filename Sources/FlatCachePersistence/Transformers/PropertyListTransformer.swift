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

/// A transformer that converts values to property-list values.
///
/// ```swift
/// let transformer = RawRepresentableTransformer<Theme>().append(PropertyListValueTransformer())
/// let stored = try transformer.transformValue(.dark)
/// print(stored == .string("dark"))  // true
/// ```
///
/// Persisters and properties apply it by themselves. Use it to write such a value to a storage
/// directly, for example with ``UserDefaultsStorage/storeValue(_:key:)``.
public struct PropertyListValueTransformer<Value: PropertyListRepresentable>: Transformer {
    /// Creates a transformer.
    public init() {}

    /// Returns the property-list form of a value.
    ///
    /// - Parameter value: The value.
    /// - Throws: An error if a property list can't hold the value.
    public func transformValue(_ value: Value) throws -> PropertyListValue {
        try value.propertyListValue
    }

    /// Returns the value of a property-list form.
    ///
    /// - Parameter output: The property-list form.
    /// - Throws: An error if no value of this type has this form.
    public func untransformValue(_ output: PropertyListValue) throws -> Value {
        try Value(propertyListValue: output)
    }
}
