import Foundation

/// A type whose values a property list holds directly, at any level of a `Codable` value.
///
/// Collections don't conform, because their elements are coded one by one. `URL` doesn't conform
/// either, because a nested URL is coded as a string.
protocol PropertyListLeaf: PropertyListRepresentable {}

extension Bool: PropertyListLeaf {}
extension String: PropertyListLeaf {}
extension Data: PropertyListLeaf {}
extension Date: PropertyListLeaf {}
extension Double: PropertyListLeaf {}
extension Float: PropertyListLeaf {}
extension Int: PropertyListLeaf {}
extension Int8: PropertyListLeaf {}
extension Int16: PropertyListLeaf {}
extension Int32: PropertyListLeaf {}
extension Int64: PropertyListLeaf {}
extension UInt: PropertyListLeaf {}
extension UInt8: PropertyListLeaf {}
extension UInt16: PropertyListLeaf {}
extension UInt32: PropertyListLeaf {}
extension UInt64: PropertyListLeaf {}

extension PropertyListValue {
    /// The placeholder for `nil` inside containers, as in Foundation's property lists.
    ///
    /// The encoder rejects a string of the same text, because the decoder would read it as `nil`.
    static let null = PropertyListValue.string("$null")
}

/// A coding key that is an index or a string.
struct PropertyListCodingKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }

    static let `super` = Self(stringValue: "super")
}
