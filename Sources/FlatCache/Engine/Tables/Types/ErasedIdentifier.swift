/// An identifier whose type is known only at run time.
///
/// Integers and strings are the most common identifiers. Cases of their own let the cache create
/// and compare their keys without an allocation or a dynamic cast.
@usableFromInline
enum ErasedIdentifier: Hashable, Sendable {
    case integer(Int)
    case string(String)
    case other(any Hashable & Sendable)

    @inlinable
    init<ID: Hashable & Sendable>(_ id: ID) {
        if ID.self == Int.self, let integer = id as? Int {
            self = .integer(integer)
        } else if ID.self == String.self, let string = id as? String {
            self = .string(string)
        } else {
            self = .other(id)
        }
    }

    /// Returns the identifier as a type, or `nil` if it was created from another type.
    @inlinable
    func typed<ID: Hashable & Sendable>(as type: ID.Type = ID.self) -> ID? {
        switch self {
        case .integer(let integer): integer as? ID
        case .string(let string): string as? ID
        case .other(let other): other as? ID
        }
    }

    @inlinable
    static func == (left: ErasedIdentifier, right: ErasedIdentifier) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.other(let left), .other(let right)): left.isEqual(to: right)
        default: false
        }
    }

    @inlinable
    func hash(into hasher: inout Hasher) {
        switch self {
        case .integer(let integer): hasher.combine(integer)
        case .string(let string): hasher.combine(string)
        case .other(let other): other.hash(into: &hasher)
        }
    }
}

extension ErasedIdentifier: CustomStringConvertible {
    @usableFromInline var description: String {
        switch self {
        case .integer(let integer): "\(integer)"
        case .string(let string): String(reflecting: string)
        case .other(let other): String(describing: other)
        }
    }
}

extension Hashable {
    @usableFromInline
    func isEqual(to other: any Hashable) -> Bool {
        self == other as? Self
    }
}
