public import Foundation

/// What a property list holds, and with it `UserDefaults`.
///
/// Two values are equal when a property list stores them alike. So, other than for `Double`, one
/// "not a number" equals another: a value that did not change is never taken for a change.
public enum PropertyListValue: Sendable {
    /// Either true or false; never a number.
    case bool(Bool)
    /// A whole number.
    case integer(Int64)
    /// A whole number that may be too large for `Int64`; a smaller one equals the same `integer`.
    case unsignedInteger(UInt64)
    /// A floating-point number.
    case double(Double)
    /// Text.
    case string(String)
    /// Bytes.
    case data(Data)
    /// A point in time.
    ///
    /// A property list in XML, and so `UserDefaults` on Linux, keeps whole seconds of it.
    case date(Date)
    /// Values in an order.
    case array([PropertyListValue])
    /// Values by name.
    case dictionary([String: PropertyListValue])

    /// How many levels of containers a value may have: what Foundation's own readers accept.
    public static let maximumDepth = 100

    /// What the value is, in words for a message: the kind, and for short values the value.
    var kind: String {
        switch self {
        case .bool(let value): "the Boolean \(value)"
        case .integer(let value): "the number \(value)"
        case .unsignedInteger(let value): "the number \(value)"
        case .double(let value): "the number \(value)"
        case .string: "a string"
        case .data: "data"
        case .date: "a date"
        case .array: "an array"
        case .dictionary: "a dictionary"
        }
    }
}

extension PropertyListValue: Hashable {
    /// Returns whether a property list stores two values alike.
    ///
    /// - Complexity: O(*n*), where *n* is the size of the smaller value.
    public static func == (left: PropertyListValue, right: PropertyListValue) -> Bool {
        switch (left, right) {
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.unsignedInteger(let left), .unsignedInteger(let right)): left == right
        case (.integer(let left), .unsignedInteger(let right)): left == Int64(exactly: right)
        case (.unsignedInteger(let left), .integer(let right)): Int64(exactly: left) == right
        case (.double(let left), .double(let right)):
            left.isStoredLike(right)
        // Other than for `String`, texts of the same look that are spelled otherwise differ.
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.data(let left), .data(let right)): left == right
        case (.date(let left), .date(let right)):
            left.timeIntervalSinceReferenceDate.isStoredLike(right.timeIntervalSinceReferenceDate)
        case (.array(let left), .array(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)): left == right
        default: false
        }
    }

    /// Feeds the value to a hasher.
    ///
    /// - Parameter hasher: The hasher to feed.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .unsignedInteger(let value):
            if let small = Int64(exactly: value) {
                hasher.combine(small)
            } else {
                hasher.combine(value)
            }
        case .double(let value): hasher.combine(value.isNaN ? .nan : value)
        case .string(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .date(let value):
            let interval = value.timeIntervalSinceReferenceDate
            hasher.combine(interval.isNaN ? .nan : interval)
        case .array(let value): hasher.combine(value)
        case .dictionary(let value): hasher.combine(value)
        }
    }
}

extension Double {
    /// Whether a property list stores two numbers alike: in XML zero has no sign.
    fileprivate func isStoredLike(_ other: Double) -> Bool {
        self == other || (isNaN && other.isNaN)
    }
}
