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

    /// Creates the function of this process.
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
