public import Foundation

/// A type in which a storage can hold `Codable` values: property-list values or data.
///
/// ```swift
/// let stored = try PropertyListValue(encoding: book)
/// print(try stored.decoded(as: Book.self).title)  // A Wizard of Earthsea
/// ```
///
/// ``PropertyListValue`` and `Data` conform. A ``KeyValueStorage`` needs a storage of one of these
/// types.
public protocol KeyValueForm: Equatable, Sendable {
    /// Encodes a value.
    ///
    /// - Parameter value: The value.
    /// - Throws: An error if the value can't be encoded.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    init<Value: Codable & Sendable>(encoding value: Value) throws

    /// Decodes a value.
    ///
    /// - Parameter type: The type of the value.
    /// - Returns: The value.
    /// - Throws: An error if this isn't an encoded value of the type. Values are never converted
    ///   silently.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    func decoded<Value: Codable & Sendable>(as type: Value.Type) throws -> Value
}

extension PropertyListValue: KeyValueForm {
    /// Encodes a value.
    ///
    /// A ``PropertyListRepresentable`` value is represented by its own property-list value, so that
    /// plain `UserDefaults` calls can read it. Any other value is encoded as a native property list
    /// and can be edited by hand.
    ///
    /// - Parameter value: The value.
    /// - Throws: ``PropertyListError`` if a property list can't represent the value, or the error
    ///   of the value's own encoding.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public init<Value: Codable & Sendable>(encoding value: Value) throws {
        // The check uses the type, since a cast of the value would unwrap an optional.
        if Value.self is any PropertyListRepresentable.Type,
            let representable = value as? any PropertyListRepresentable
        {
            self = try representable.propertyListValue
        } else {
            self = try PropertyListValue.encode(value)
        }
    }

    /// Decodes a value.
    ///
    /// - Parameter type: The type of the value.
    /// - Throws: ``PropertyListError``, `DecodingError`, or the error of the type's own decoding.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public func decoded<Value: Codable & Sendable>(as type: Value.Type) throws -> Value {
        guard let representable = type as? any PropertyListRepresentable.Type else {
            return try decode(type)
        }
        guard let value = try representable.init(propertyListValue: self) as? Value else {
            throw mismatch(expected: "\(type)")
        }
        return value
    }
}

extension Data: KeyValueForm {
    private static let positiveInfinity = "Infinity"
    private static let negativeInfinity = "-Infinity"
    private static let notANumber = "NaN"

    /// Encodes a value as JSON with sorted keys.
    ///
    /// Data and strings are encoded as JSON, too, so that no value can be mistaken for another.
    /// Floating-point numbers that JSON can't represent become the strings "Infinity", "-Infinity"
    /// and "NaN". Dates become their seconds since 2001, without loss of precision.
    ///
    /// - Parameter value: The value.
    /// - Throws: `EncodingError`, or the error of the value's own encoding.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public init<Value: Codable & Sendable>(encoding value: Value) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: Self.positiveInfinity,
            negativeInfinity: Self.negativeInfinity,
            nan: Self.notANumber
        )
        self = try encoder.encode(value)
    }

    /// Decodes a value from JSON.
    ///
    /// - Parameter type: The type of the value.
    /// - Throws: `DecodingError`, or the error of the type's own decoding.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public func decoded<Value: Codable & Sendable>(as type: Value.Type) throws -> Value {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: Self.positiveInfinity,
            negativeInfinity: Self.negativeInfinity,
            nan: Self.notANumber
        )
        return try decoder.decode(type, from: self)
    }
}
