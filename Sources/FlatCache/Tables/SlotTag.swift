/// What a slot of a hash table holds, in a byte apart from the entry.
///
/// Seven bits of the entry's hash keep a search from looking into nearly all other entries.
@usableFromInline
struct SlotTag: Equatable {
    @usableFromInline let bits: UInt8

    @inlinable @inline(__always)
    init(bits: UInt8) { self.bits = bits }

    /// The tag of an entry.
    @inlinable @inline(__always)
    init(hash: UInt32) {
        // The lowest bits have chosen the stripe, and the highest, first of all, choose the slot.
        bits = 0x80 | UInt8(truncatingIfNeeded: hash &>> UInt32(Stripes.bits))
    }

    /// That of a slot that ends a search.
    @inlinable static var empty: SlotTag { SlotTag(bits: 0) }
    /// That of a slot whose entry has left the table.
    @inlinable static var vacated: SlotTag { SlotTag(bits: 1) }

    @inlinable @inline(__always) var isOccupied: Bool { bits & 0x80 != 0 }
}
