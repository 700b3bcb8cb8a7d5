public import Foundation

/// A value of a property list, and therefore of `UserDefaults`.
///
/// ```swift
/// try UserDefaultsStorage().storeValue(.array([.string("a"), .integer(1)]), key: "mixed")
/// ```
///
/// Two values are equal if a property list stores them in the same way. Unlike for `Double`, "not a
/// number" equals itself, so an unchanged value never counts as a change.
public enum PropertyListValue: Sendable {
    /// A Boolean. It's never a number.
    case bool(Bool)
    /// An integer.
    case integer(Int64)
    /// An integer that may be too large for `Int64`.
    ///
    /// A smaller number equals the same number as an `integer`.
    case unsignedInteger(UInt64)
    /// A floating-point number.
    case double(Double)
    /// Text.
    case string(String)
    /// Bytes.
    case data(Data)
    /// A point in time.
    ///
    /// A property list in XML, and therefore `UserDefaults` on Linux, keeps whole seconds only.
    case date(Date)
    /// An array of values.
    case array([PropertyListValue])
    /// A dictionary of values with string keys.
    case dictionary([String: PropertyListValue])

    /// The maximum number of nested containers in a value: the limit of Foundation's readers.
    public static let maximumDepth = 100

    /// The kind of the value for a message, with the value itself if it is short.
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
    /// Returns a Boolean value that indicates whether a property list stores two values in the same
    /// way.
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
        // Unlike for `String`, canonically equivalent strings with different bytes are not equal.
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.data(let left), .data(let right)): left == right
        case (.date(let left), .date(let right)):
            left.timeIntervalSinceReferenceDate.isStoredLike(right.timeIntervalSinceReferenceDate)
        case (.array(let left), .array(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)):
            left.count == right.count
                && left.allSatisfy { right.value(forExactKey: $0) == $1 }
        default: false
        }
    }

    /// Hashes the value into a hasher.
    ///
    /// - Parameter hasher: The hasher.
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
    /// Returns a Boolean value that indicates whether a property list stores two numbers in the
    /// same way.
    ///
    /// Positive and negative zero are equal, because XML stores zero without a sign.
    fileprivate func isStoredLike(_ other: Double) -> Bool {
        self == other || (isNaN && other.isNaN)
    }
}
