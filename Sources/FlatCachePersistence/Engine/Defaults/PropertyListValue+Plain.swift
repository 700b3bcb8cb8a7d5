#if !canImport(Darwin)
import Foundation

extension PropertyListValue {
    /// Returns `true` if an object that a plain call has returned equals this value, ignoring
    /// fractions of seconds in the object.
    ///
    /// Foundation on Linux returns simple values as Swift's own types, which are compared directly.
    /// The types must be the same: `true`, `1` and `1.0` are three values.
    func isFound(as object: Any) -> Bool {
        switch self {
        case .bool(let value):
            if let other = object as? Bool, type(of: object) == Bool.self { return value == other }
        case .integer(let value):
            if let other = object as? Int, type(of: object) == Int.self { return value == other }
        case .double(let value):
            if let other = object as? Double, type(of: object) == Double.self {
                return value == other || (value.isNaN && other.isNaN)
            }
        case .string(let value):
            if let other = object as? String, type(of: object) == String.self {
                return value.hasSameBytes(as: other)
            }
        case .data(let value):
            if let other = object as? Data { return value == other }
        case .unsignedInteger, .date, .array, .dictionary: break
        }
        return (try? PropertyListValue(propertyList: object))?.withWholeSeconds == self
    }
}

extension String {
    /// Returns `true` if two strings have the same bytes; `==` also accepts canonical equivalents.
    fileprivate func hasSameBytes(as other: String) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { others in
                guard bytes.count == others.count else { return false }
                guard let first = bytes.baseAddress, let otherFirst = others.baseAddress else {
                    return true
                }
                return memcmp(first, otherFirst, bytes.count) == 0
            }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}
#endif
