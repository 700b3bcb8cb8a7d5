/// The hashes of a stripe that share a number of their highest bits.
///
/// Each segment contains the entries of one range. A plain value.
@usableFromInline
struct HashRange: Equatable {
    /// The lowest hash of the range.
    @usableFromInline let start: UInt32
    /// The number of highest bits that the hashes share.
    @usableFromInline let depth: Int

    /// Creates the range of a depth that contains a hash.
    @inlinable
    init(of hash: UInt32, depth: Int) {
        start = UInt32(
            truncatingIfNeeded: (UInt64(hash) &>> UInt64(32 - depth)) &<< UInt64(32 - depth)
        )
        self.depth = depth
    }

    /// The range of all hashes.
    @inlinable static var all: HashRange { HashRange(of: 0, depth: 0) }

    /// The number of highest bits of a hash that can select a segment.
    ///
    /// The other bits select the stripe.
    @inlinable static var maximumDepth: Int { 32 - Stripes.bits }

    /// The first position after the hashes of the range.
    @inlinable var end: UInt64 { UInt64(start) &+ (1 &<< UInt64(32 - depth)) }

    @inlinable
    func contains(_ hash: UInt32) -> Bool { HashRange(of: hash, depth: depth) == self }

    /// The range that contains this one and its buddy, if the depth isn't zero.
    var parent: HashRange { HashRange(of: start, depth: depth - 1) }

    /// The other half of the parent.
    var buddy: HashRange { HashRange(of: start ^ (1 << UInt32(32 - depth)), depth: depth) }

    /// Returns the index of the part that contains a hash, if the range is divided evenly.
    ///
    /// - Parameters:
    ///   - hash: A hash of the range.
    ///   - bits: The binary logarithm of the number of parts.
    @inlinable @inline(__always)
    func part(of hash: UInt32, bits: Int) -> Int {
        Int(truncatingIfNeeded: UInt64(hash &- start) &>> UInt64(32 - depth - bits))
    }

    /// Returns one of the parts into which the range can be divided evenly.
    @inlinable
    func part(at index: Int, bits: Int) -> HashRange {
        let offset = UInt32(truncatingIfNeeded: UInt64(index) &<< UInt64(32 - depth - bits))
        return HashRange(of: start | offset, depth: depth + bits)
    }
}
