public import Foundation

extension PropertyListRepresentable where Self: FixedWidthInteger {
    /// The property-list form of the value.
    ///
    /// - Throws: A ``PropertyListError`` if 64 bits can't represent the value. The standard
    ///   library's integers of up to 64 bits never throw.
    public var propertyListValue: PropertyListValue {
        get throws {
            if let value = Int64(exactly: self) {
                return .integer(value)
            }
            guard let value = UInt64(exactly: self) else {
                throw PropertyListError(.unsupported("the number \(self)"))
            }
            return .unsignedInteger(value)
        }
    }

    /// Creates a value from a number that this type represents exactly.
    ///
    /// For example, an `Int8` can be created from 100 or 100.0, but not from 300.
    ///
    /// - Parameter propertyListValue: The property-list value.
    /// - Throws: A ``PropertyListError`` if the property-list value isn't a number, such as a
    ///   Boolean, or if this type can't represent it, such as 1.5 or a number out of range.
    public init(propertyListValue: PropertyListValue) throws {
        let value: Self? =
            switch propertyListValue {
            case .integer(let value): Self(exactly: value)
            case .unsignedInteger(let value): Self(exactly: value)
            case .double(let value): Self(exactly: value)
            default: throw propertyListValue.mismatch(expected: "a number")
            }
        guard let value else { throw propertyListValue.outOfRange(expected: Self.self) }
        self = value
    }
}

extension PropertyListRepresentable where Self: BinaryFloatingPoint {
    /// The property-list form of the value.
    public var propertyListValue: PropertyListValue { .double(Double(self)) }

    /// Creates a value from a number.
    ///
    /// - Parameter propertyListValue: The property-list value.
    /// - Throws: A ``PropertyListError`` if the property-list value isn't a number, such as a
    ///   Boolean, or if this type can't represent it, such as a large integer or a more precise
    ///   number.
    public init(propertyListValue: PropertyListValue) throws {
        let value: Self? =
            switch propertyListValue {
            case .integer(let value): Self(exactly: value)
            case .unsignedInteger(let value): Self(exactly: value)
            case .double(let value) where value.isNaN: .nan
            case .double(let value): Self(exactly: value) ?? Self(asWritten: value)
            default: throw propertyListValue.mismatch(expected: "a number")
            }
        guard let value else { throw propertyListValue.outOfRange(expected: Self.self) }
        self = value
    }
}

extension BinaryFloatingPoint {
    /// Creates a value from a number with the same decimal description, or returns `nil`.
    ///
    /// A handwritten number may not be exactly representable: no `Float` is exactly 0.1.
    fileprivate init?(asWritten value: Double) {
        let rounded = Self(value)
        guard "\(rounded)" == "\(value)" else { return nil }
        self = rounded
    }
}

extension PropertyListValue {
    fileprivate func outOfRange(expected type: Any.Type) -> PropertyListError {
        PropertyListError(.outOfRange(expected: "a number of the type \(type)", value: kind))
    }
}

extension Int: PropertyListRepresentable {}
extension Int8: PropertyListRepresentable {}
extension Int16: PropertyListRepresentable {}
extension Int32: PropertyListRepresentable {}
extension Int64: PropertyListRepresentable {}
extension UInt: PropertyListRepresentable {}
extension UInt8: PropertyListRepresentable {}
extension UInt16: PropertyListRepresentable {}
extension UInt32: PropertyListRepresentable {}
extension UInt64: PropertyListRepresentable {}
extension Float: PropertyListRepresentable {}
extension Double: PropertyListRepresentable {}
extension CGFloat: PropertyListRepresentable {}
