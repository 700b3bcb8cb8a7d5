import Foundation

/// A value that a property list holds as it is, wherever it lies inside of a `Codable` value.
///
/// Collections are none: what is inside of them is coded one by one. Nor is a URL, which lies
/// inside of others as its text.
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
    /// What stands for `nil` inside of arrays and other values, as in Foundation's property lists.
    ///
    /// The text itself is refused, since it would be read as `nil`.
    static let null = PropertyListValue.string("$null")
}

/// A key that is an index or a text.
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
