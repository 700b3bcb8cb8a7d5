import Foundation

/// The stored content of a persistent object.
enum ObjectContent: Equatable, Sendable {
    case absent
    case data(Data)
    /// A value that isn't data, so no object was stored as it.
    case foreign(PropertyListValue)

    var data: Data? {
        if case .data(let data) = self { data } else { nil }
    }

    static func mismatch(_ value: PropertyListValue) -> PropertyListError {
        PropertyListError(.mismatch(expected: "data", found: value.kind))
    }
}
