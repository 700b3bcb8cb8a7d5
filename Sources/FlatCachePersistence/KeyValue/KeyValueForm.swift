public import Foundation

/// What a storage of `Codable` values holds: property-list values, or data.
///
/// ``PropertyListValue`` and `Data` are the two; a storage of either is all that
/// ``KeyValueStorage`` needs.
public protocol KeyValueForm: Equatable, Sendable {
    /// Creates the form in which a storage holds a value.
    ///
    /// - Parameter value: The value.
    /// - Throws: If it has none.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    init<Value: Codable & Sendable>(encoding value: Value) throws

    /// Returns the value of which this is the form.
    ///
    /// - Parameter type: The type of the value.
    /// - Returns: The value.
    /// - Throws: If this is the form of no such value. Nothing is converted in silence.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    func decoded<Value: Codable & Sendable>(as type: Value.Type) throws -> Value
}

extension PropertyListValue: KeyValueForm {
    /// Creates the form of a value: what is ``PropertyListRepresentable`` as it is, so that plain
    /// `UserDefaults` calls read it, anything else as a native property list, which can be edited
    /// by hand.
    ///
    /// - Parameter value: The value.
    /// - Throws: ``PropertyListError`` if a property list cannot hold it, or what the value throws.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public init<Value: Codable & Sendable>(encoding value: Value) throws {
        // By its type, not by a cast of the value: that would look into an optional.
        if Value.self is any PropertyListRepresentable.Type,
            let representable = value as? any PropertyListRepresentable
        {
            self = try representable.propertyListValue
        } else {
            self = try PropertyListValueEncoder.encode(value)
        }
    }

    /// Returns the value of which this is the form.
    ///
    /// - Parameter type: The type of the value.
    /// - Throws: ``PropertyListError``, `DecodingError`, or what the type throws.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public func decoded<Value: Codable & Sendable>(as type: Value.Type) throws -> Value {
        guard let representable = type as? any PropertyListRepresentable.Type else {
            return try PropertyListValueDecoder.decode(type, from: self)
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

    /// Creates the form of a value: its JSON, with sorted keys.
    ///
    /// That goes for data and texts, too, so that none is ever taken for another. Floating-point
    /// numbers that JSON doesn't have are the texts "Infinity", "-Infinity" and "NaN"; dates are
    /// their seconds since 2001, which lose nothing.
    ///
    /// - Parameter value: The value.
    /// - Throws: `EncodingError`, or what the value throws.
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

    /// Returns the value of which this is the JSON.
    ///
    /// - Parameter type: The type of the value.
    /// - Throws: `DecodingError`, or what the type throws.
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
