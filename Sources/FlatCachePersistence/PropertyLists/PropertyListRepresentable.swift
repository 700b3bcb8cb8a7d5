public import Foundation

/// A type whose values a property list holds, so that `UserDefaults` stores them as they are.
///
/// An optional is none: whether there is a value is up to who stores it.
public protocol PropertyListRepresentable: Sendable {
    /// The value as a property list holds it.
    ///
    /// - Throws: If this value, other than others of the type, cannot be held.
    var propertyListValue: PropertyListValue { get throws }

    /// Creates a value from what a property list holds.
    ///
    /// - Parameter propertyListValue: What is there.
    /// - Throws: A ``PropertyListError`` if that is not a value of the type. Nothing is converted in
    ///   silence.
    init(propertyListValue: PropertyListValue) throws
}

extension PropertyListRepresentable
where Self: RawRepresentable, RawValue: PropertyListRepresentable {
    /// The raw value as a property list holds it.
    ///
    /// So an enumeration with raw values need only say that it conforms.
    public var propertyListValue: PropertyListValue {
        get throws { try rawValue.propertyListValue }
    }

    /// Creates a value from its raw value.
    ///
    /// - Parameter propertyListValue: What is there.
    /// - Throws: A ``PropertyListError`` if that is of another type than raw values are, or an
    ///   ``UnknownRawValueError`` if no value has it.
    public init(propertyListValue: PropertyListValue) throws {
        let rawValue = try RawValue(propertyListValue: propertyListValue)
        guard let value = Self(rawValue: rawValue) else {
            throw UnknownRawValueError(
                rawValue: String(reflecting: rawValue),
                type: "\(Self.self)"
            )
        }
        self = value
    }
}

extension PropertyListValue {
    /// What is thrown when another kind of value was asked for.
    func mismatch(expected: String) -> PropertyListError {
        PropertyListError(.mismatch(expected: expected, found: kind))
    }
}

extension Bool: PropertyListRepresentable {
    /// The value as a property list holds it.
    public var propertyListValue: PropertyListValue { .bool(self) }

    /// Creates a value from a Boolean.
    ///
    /// - Parameter propertyListValue: What is there.
    /// - Throws: A ``PropertyListError`` if it is something else, such as the number 1.
    public init(propertyListValue: PropertyListValue) throws {
        guard case .bool(let value) = propertyListValue else {
            throw propertyListValue.mismatch(expected: "a Boolean")
        }
        self = value
    }
}

extension String: PropertyListRepresentable {
    /// The value as a property list holds it.
    public var propertyListValue: PropertyListValue { .string(self) }

    /// Creates a value from a string.
    ///
    /// - Parameter propertyListValue: What is there.
    /// - Throws: A ``PropertyListError`` if it is something else.
    public init(propertyListValue: PropertyListValue) throws {
        guard case .string(let value) = propertyListValue else {
            throw propertyListValue.mismatch(expected: "a string")
        }
        self = value
    }
}

extension Data: PropertyListRepresentable {
    /// The value as a property list holds it.
    public var propertyListValue: PropertyListValue { .data(self) }

    /// Creates a value from data.
    ///
    /// - Parameter propertyListValue: What is there.
    /// - Throws: A ``PropertyListError`` if it is something else.
    public init(propertyListValue: PropertyListValue) throws {
        guard case .data(let value) = propertyListValue else {
            throw propertyListValue.mismatch(expected: "data")
        }
        self = value
    }
}

extension Date: PropertyListRepresentable {
    /// The value as a property list holds it.
    ///
    /// - Throws: A ``PropertyListError`` if it is infinite, not a number, or further away than
    ///   10¹³ seconds, which are some 300,000 years: a reader would not get it back.
    public var propertyListValue: PropertyListValue {
        get throws {
            guard abs(timeIntervalSinceReferenceDate) <= 1e13 else {
                throw PropertyListError(
                    .unsupported("the date of \(timeIntervalSinceReferenceDate) seconds after 2001")
                )
            }
            return .date(self)
        }
    }

    /// Creates a value from a date.
    ///
    /// - Parameter propertyListValue: What is there.
    /// - Throws: A ``PropertyListError`` if it is something else.
    public init(propertyListValue: PropertyListValue) throws {
        guard case .date(let value) = propertyListValue else {
            throw propertyListValue.mismatch(expected: "a date")
        }
        self = value
    }
}
