public import Foundation

/// A type whose values a property list can hold, so that `UserDefaults` stores them directly.
///
/// An enumeration with raw values only has to declare the conformance:
///
/// ```swift
/// enum Layout: String, PropertyListRepresentable {
///     case list, grid
/// }
///
/// struct Settings: Sendable {
///     @Persisted(key: "layout") var layout = Layout.list
/// }
/// ```
///
/// `Optional` doesn't conform, because a missing value is represented by the absence of its key.
public protocol PropertyListRepresentable: Sendable {
    /// The property-list form of the value.
    ///
    /// - Throws: An error if a property list can't hold this particular value.
    var propertyListValue: PropertyListValue { get throws }

    /// Creates a value from its property-list form.
    ///
    /// - Parameter propertyListValue: The property-list value.
    /// - Throws: A ``PropertyListError`` if the property-list value isn't a value of this type.
    ///   There are no implicit conversions.
    init(propertyListValue: PropertyListValue) throws
}

extension PropertyListRepresentable
where Self: RawRepresentable, RawValue: PropertyListRepresentable {
    /// The property-list form of the raw value.
    public var propertyListValue: PropertyListValue {
        get throws { try rawValue.propertyListValue }
    }

    /// Creates a value from its raw value.
    ///
    /// - Parameter propertyListValue: The property-list value.
    /// - Throws: A ``PropertyListError`` if the property-list value isn't of the type of the raw
    ///   values, or an ``UnknownRawValueError`` if no value has this raw value.
    public init(propertyListValue: PropertyListValue) throws {
        let rawValue = try RawValue(propertyListValue: propertyListValue)
        self = try RawRepresentableTransformer().untransformValue(rawValue)
    }
}

extension PropertyListValue {
    /// Returns the error for a request of another kind of value.
    func mismatch(expected: String) -> PropertyListError {
        PropertyListError(.mismatch(expected: expected, found: kind))
    }
}

extension Bool: PropertyListRepresentable {
    /// The property-list form of the value.
    public var propertyListValue: PropertyListValue { .bool(self) }

    /// Creates a value from a Boolean.
    ///
    /// - Parameter propertyListValue: The property-list value.
    /// - Throws: A ``PropertyListError`` if the property-list value isn't a Boolean; the number 1
    ///   isn't one.
    public init(propertyListValue: PropertyListValue) throws {
        guard case .bool(let value) = propertyListValue else {
            throw propertyListValue.mismatch(expected: "a Boolean")
        }
        self = value
    }
}

extension String: PropertyListRepresentable {
    /// The property-list form of the value.
    public var propertyListValue: PropertyListValue { .string(self) }

    /// Creates a value from a string.
    ///
    /// - Parameter propertyListValue: The property-list value.
    /// - Throws: A ``PropertyListError`` if the property-list value isn't a string.
    public init(propertyListValue: PropertyListValue) throws {
        guard case .string(let value) = propertyListValue else {
            throw propertyListValue.mismatch(expected: "a string")
        }
        self = value
    }
}

extension Data: PropertyListRepresentable {
    /// The property-list form of the value.
    public var propertyListValue: PropertyListValue { .data(self) }

    /// Creates a value from data.
    ///
    /// - Parameter propertyListValue: The property-list value.
    /// - Throws: A ``PropertyListError`` if the property-list value isn't data.
    public init(propertyListValue: PropertyListValue) throws {
        guard case .data(let value) = propertyListValue else {
            throw propertyListValue.mismatch(expected: "data")
        }
        self = value
    }
}

extension Date: PropertyListRepresentable {
    /// The property-list form of the value.
    ///
    /// - Throws: A ``PropertyListError`` if the date is infinite, not a number, or more than 10¹³
    ///   seconds (about 300,000 years) from the reference date. A reader couldn't restore such a
    ///   date.
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
    /// - Parameter propertyListValue: The property-list value.
    /// - Throws: A ``PropertyListError`` if the property-list value isn't a date.
    public init(propertyListValue: PropertyListValue) throws {
        guard case .date(let value) = propertyListValue else {
            throw propertyListValue.mismatch(expected: "a date")
        }
        self = value
    }
}

extension UUID: PropertyListRepresentable {
    /// The UUID as a string, in the form that Foundation's encoders write.
    ///
    /// For example, the string can be `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
    public var propertyListValue: PropertyListValue { .string(uuidString) }

    /// Creates a UUID from a string.
    ///
    /// - Parameter propertyListValue: The property-list value.
    /// - Throws: A ``PropertyListError`` if the property-list value isn't the string of a UUID.
    public init(propertyListValue: PropertyListValue) throws {
        let text = try String(propertyListValue: propertyListValue)
        guard let uuid = UUID(uuidString: text) else {
            throw PropertyListError(
                .mismatch(expected: "a UUID", found: "a string of another form")
            )
        }
        self = uuid
    }
}
