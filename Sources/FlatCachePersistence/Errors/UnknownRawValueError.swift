/// An error that indicates that no value of a type has a raw value.
///
/// A newer version of a program may have stored such a raw value.
public struct UnknownRawValueError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The raw value, as text.
    public let rawValue: String

    /// The type, as text.
    public let type: String

    /// A sentence that names the raw value and the type.
    public var description: String { "No value of the type \(type) has the raw value \(rawValue)." }
}
