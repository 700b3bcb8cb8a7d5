/// An identifier whose type is known only at run time.
///
/// Integers and strings are the most common identifiers. Separate cases let the cache create and
/// compare their keys without an allocation or a dynamic cast.
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

/// The function that turns identifiers into the hashes that tables and handles use.
///
/// The standard library's hash of an integer takes about 100 instructions. Between two reads of
/// entities that no cache of the processor contains, they can fill its window, so that the second
/// read starts only when the first one has ended (row 2 of Benchmarks). Integers are therefore
/// hashed by two multiplications, each of which combines the halves of its result, as in Wang Yi's
/// wyhash. The secret operands differ in each process, so that a server can't choose identifiers
/// with equal hashes.
///
/// A plain value.
@usableFromInline
struct IdentifierHasher: Sendable {
    @usableFromInline let mask: UInt64
    @usableFromInline let factor: UInt64

    init() {
        // The standard library's random seeds are constant if the environment asks for it.
        self.init(mask: Self.secret(0), factor: Self.secret(2))
    }

    init(mask: UInt64, factor: UInt64) {
        self.mask = mask
        // With its highest bit, the factor brings each bit of an identifier to the upper half.
        self.factor = factor | 1 | 1 << 63
    }

    private static func secret(_ number: Int) -> UInt64 {
        let high = UInt32(truncatingIfNeeded: number._rawHashValue(seed: 1))
        let low = UInt32(truncatingIfNeeded: (number + 1)._rawHashValue(seed: 1))
        return UInt64(high) << 32 | UInt64(low)
    }

    /// Returns the hash of an identifier.
    ///
    /// It isn't derived from `hashValue`: if a type implements that itself, or is a Foundation
    /// class, its values need not differ in the bits that select a stripe and a slot. The standard
    /// library's own tables use the raw hash value too, whose last step is always the hasher's.
    @inlinable @inline(__always)
    func hash<ID: Hashable>(of id: ID) -> UInt32 {
        // The comparisons of types are decided when the client is compiled. An identifier of the
        // compared type has its bits.
        if ID.self == Int.self { return hash(ofInteger: unsafeBitCast(id, to: Int.self)) }
        if ID.self == Int64.self { return hash(ofInteger: unsafeBitCast(id, to: Int64.self)) }
        if ID.self == UInt64.self { return hash(ofInteger: unsafeBitCast(id, to: UInt64.self)) }
        return UInt32(truncatingIfNeeded: id._rawHashValue(seed: 0))
    }

    @inlinable @inline(__always)
    func hash(ofInteger integer: some FixedWidthInteger) -> UInt32 {
        // After one step only, a few groups of evenly spaced integers would share some bits.
        UInt32(truncatingIfNeeded: mixed(mixed(UInt64(truncatingIfNeeded: integer))))
    }

    /// Returns bits of which each depends on all given ones.
    @inlinable @inline(__always)
    func mixed(_ bits: UInt64) -> UInt64 {
        let product = (bits ^ mask).multipliedFullWidth(by: factor)
        return product.high ^ product.low
    }
}

/// A type whose values refer to entities and can't be stored.
@usableFromInline
protocol EntityReference {}

extension Cached: EntityReference {}

extension CachedList: EntityReference {}
