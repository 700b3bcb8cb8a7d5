/// The state of a slot in a hash table, in a byte apart from the entry.
///
/// It contains seven bits of the entry's hash, with which a search skips nearly all other entries.
@usableFromInline
struct SlotTag: Equatable {
    @usableFromInline let bits: UInt8

    @inlinable @inline(__always)
    init(bits: UInt8) { self.bits = bits }

    /// Creates the tag of an entry.
    @inlinable @inline(__always)
    init(hash: UInt32) {
        // The lower bits select the stripe and the slot, and the highest bits the segment.
        bits = 0x80 | UInt8(truncatingIfNeeded: hash &>> UInt32(Self.firstBit))
    }

    /// The number of hash bits that select the stripe and the slot.
    @inlinable static var firstBit: Int { 16 }

    /// The tag of a slot that ends a search.
    @inlinable static var empty: SlotTag { SlotTag(bits: 0) }
    /// The tag of a slot whose entry has left the table.
    @inlinable static var vacated: SlotTag { SlotTag(bits: 1) }

    @inlinable @inline(__always) var isOccupied: Bool { bits & 0x80 != 0 }
}
