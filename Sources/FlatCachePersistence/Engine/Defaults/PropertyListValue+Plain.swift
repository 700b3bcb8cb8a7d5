#if !canImport(Darwin)
import Foundation

extension PropertyListValue {
    /// Returns `true` if an object that a plain call has returned equals this value, ignoring
    /// fractions of seconds in the object.
    ///
    /// Foundation on Linux returns simple values as Swift's own types, and these are compared
    /// directly. The types must be the same: `true`, `1` and `1.0` are three values.
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
#endif
