/// The value of a property that a response may omit: unknown, null or a value.
///
/// An API often returns a part of an entity: a list of books has no years, and a book without a
/// year has `"year": null`. An optional property can't tell the two apart. A `Known` property can:
///
/// ```swift
/// struct Book: Identifiable, Codable, Sendable, Mergeable {
///     let id: Int
///     var title: String
///     @Known var year: Int?
///
///     func merged(with other: Book) -> Book {
///         var merged = other
///         merged.$year = $year.merged(with: other.$year)
///         return merged
///     }
/// }
/// ```
///
/// - An absent key decodes to ``unknown``, `"year": null` to ``null``, and `"year": 1974` to a
///   value. Encoding omits the key of an unknown property.
/// - `book.year` is an `Int?`: `nil` if the year is unknown or null. `book.$year` is a `Known<Int>`
///   that tells the two apart.
/// - Assigning to `book.year` makes it known, so `book.year = nil` means null. Assign to `$year`
///   to make it unknown: `book.$year = .unknown`.
/// - Changing `book.year` in place, as `book.year? += 1` or a function with an `inout` parameter
///   does, keeps it unknown if it's `nil` afterwards.
///
/// > Warning: `book.year = other.year` copies an unknown year as null. A merge with the copy then
/// > erases a year. Copy the wrapper instead: `book.$year = other.$year`.
///
/// ## Initializers
/// In an initializer, `nil` means unknown: `Book(id: 1, title: "Tehanu")` and
/// `Book(id: 1, title: "Tehanu", year: nil)` erase no year. That holds for the memberwise
/// initializer and for an initial value.
///
/// A property with this attribute starts as unknown, so an assignment in an initializer that you
/// write yourself sets it, and `nil` means null there. Assign to the wrapper instead:
///
/// <!-- continues -->
///
/// ```swift
/// extension Book {
///     init(id: Int, title: String, published year: Int?) {
///         self.id = id
///         self.title = title
///         _year = Known(wrappedValue: year)
///     }
/// }
/// ```
///
/// ## Coding
/// Only a keyed container can omit a value. Anywhere else, such as in an array, encoding an unknown
/// value throws an `EncodingError`. The same is true of a generic type, since it doesn't know that
/// its value is `Known`.
///
/// A null in a response with partial errors may be unknown, too: see ``RelationStrategy``.
///
/// In an `init(from:)` that you write yourself, assign
/// `_year = try container.decode(Known<Int>.self, forKey: .year)`: this call tells an absent key
/// from null.
///
/// ## Concurrency
/// The property belongs to the actor of its type. In a module that is isolated to the main actor by
/// default, the compiler rejects a wrapped property in a `nonisolated struct`. Instead, make the
/// whole type nonisolated: adopt ``CacheEntity`` or `Mergeable` in the struct's own declaration.
@propertyWrapper
public enum Known<Value> {
    /// The property is absent from all responses so far.
    case unknown

    /// The property has no value, and that is known.
    case null

    /// The property has a value.
    case value(Value)

    /// Creates a known value from a value, and an unknown one from `nil`.
    ///
    /// - Parameter wrappedValue: The value, or `nil` if it is unknown.
    @inlinable
    public init(wrappedValue: Value?) {
        if let wrappedValue { self = .value(wrappedValue) } else { self = .unknown }
    }

    /// The value, or `nil` if it is unknown or null.
    ///
    /// Assigning `nil` makes it null. A change in place that leaves `nil`, such as `year? += 1`,
    /// keeps an unknown value unknown.
    @inlinable
    public var wrappedValue: Value? {
        get { if case .value(let value) = self { value } else { nil } }
        set {
            if let newValue { self = .value(newValue) } else { self = .null }
        }
        _modify {
            let wasKnown = isKnown
            var value = wrappedValue
            // The value has no second owner during the change, so that a collection isn't copied.
            self = .null
            defer {
                if let value { self = .value(value) } else if !wasKnown { self = .unknown }
            }
            yield &value
        }
    }

    /// The three-state value behind the property, such as `book.$year`.
    @inlinable
    public var projectedValue: Known {
        get { self }
        set { self = newValue }
    }

    /// A Boolean value that indicates whether this is null or a value.
    ///
    /// For example, `book.$year.isKnown` is `true` after a response with `"year": null`.
    @inlinable
    public var isKnown: Bool {
        if case .unknown = self { false } else { true }
    }

    /// Returns the newer of two values if it is known, or this one otherwise.
    ///
    /// ```swift
    /// let stored = Known.value(1968)
    /// print(stored.merged(with: .unknown).isKnown)  // true: the stored year stays
    /// ```
    ///
    /// - Parameter other: The newer value.
    @inlinable
    public func merged(with other: Known) -> Known {
        if case .unknown = other { self } else { other }
    }
}

extension Known: Sendable where Value: Sendable {}
extension Known: Equatable where Value: Equatable {}
extension Known: Hashable where Value: Hashable {}

extension Known: CustomStringConvertible, CustomDebugStringConvertible {
    /// The description of the value, or `unknown` or `null`.
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .null: "null"
        case .value(let value): String(describing: value)
        }
    }

    /// The debug description of the value, or `unknown` or `null`.
    public var debugDescription: String {
        if case .value(let value) = self { String(reflecting: value) } else { description }
    }
}

extension Known: Decodable where Value: Decodable {
    /// Decodes null or a value.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: An error if the value can't be decoded.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = container.decodeNil() ? .null : .value(try container.decode(Value.self))
    }
}

extension Known: Encodable where Value: Encodable {
    /// Encodes null or a value.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: `EncodingError.invalidValue` if the value is unknown, or an error if it can't be
    ///   encoded.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .unknown:
            let reason =
                "Only a stored property can omit an unknown value."
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(codingPath: encoder.codingPath, debugDescription: reason)
            )
        case .null: try container.encodeNil()
        case .value(let value): try container.encode(value)
        }
    }
}

// The compiler calls these methods in the code that it writes for `Codable`, since they are more
// specific than the container's own. The frequent types get the container's methods for exactly
// these types, because those need no decoder or encoder for the value. The optimizer removes the
// comparisons.

extension KeyedDecodingContainer {
    /// Decodes a value that is unknown if the key is absent.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - key: The key of the value.
    /// - Throws: An error if the value is neither null nor of the type.
    @inlinable
    public func decode<Value: Decodable>(
        _ type: Known<Value>.Type,
        forKey key: Key
    ) throws -> Known<Value> {
        let value: Value? =
            if Value.self == Int.self {
                try decodeIfPresent(Int.self, forKey: key).flatMap { $0 as? Value }
            } else if Value.self == String.self {
                try decodeIfPresent(String.self, forKey: key).flatMap { $0 as? Value }
            } else if Value.self == Bool.self {
                try decodeIfPresent(Bool.self, forKey: key).flatMap { $0 as? Value }
            } else if Value.self == Double.self {
                try decodeIfPresent(Double.self, forKey: key).flatMap { $0 as? Value }
            } else {
                try decodeIfPresent(Value.self, forKey: key)
            }
        if let value { return .value(value) }
        return contains(key) ? .null : .unknown
    }
}

extension KeyedEncodingContainer {
    /// Encodes a value unless it is unknown.
    ///
    /// - Parameters:
    ///   - known: The value.
    ///   - key: The key of the value.
    /// - Throws: An error if the value can't be encoded.
    @inlinable
    public mutating func encode<Value: Encodable>(
        _ known: Known<Value>,
        forKey key: Key
    ) throws {
        switch known {
        case .unknown: break
        case .null: try encodeNil(forKey: key)
        case .value(let value):
            if Value.self == Int.self, let value = value as? Int {
                try encode(value, forKey: key)
            } else if Value.self == String.self, let value = value as? String {
                try encode(value, forKey: key)
            } else if Value.self == Bool.self, let value = value as? Bool {
                try encode(value, forKey: key)
            } else if Value.self == Double.self, let value = value as? Double {
                try encode(value, forKey: key)
            } else {
                try encode(value, forKey: key)
            }
        }
    }
}
