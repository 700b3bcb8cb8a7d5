import Foundation

/// What lies in the place of an object.
enum ObjectContent: Equatable, Sendable {
    case absent
    case data(Data)
    /// Something that no object is stored as.
    case foreign(PropertyListValue)

    static func mismatch(_ value: PropertyListValue) -> PropertyListError {
        PropertyListError(.mismatch(expected: "data", found: value.kind))
    }
}
