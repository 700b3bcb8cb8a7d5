/// A place for an entry in a hash table: a reference to it, and four bits of its hash.
///
/// The bits keep a search from looking into other entries, each of which would cost an access to
/// main memory in a large table. They take the place of those that are zero in the address of any
/// object, which is a multiple of 16.
@usableFromInline
struct Slot<Value: Identifiable & Sendable> where Value.ID: Sendable {
    /// The address of the entry together with the tag; zero if there is none.
    @usableFromInline let bits: UInt

    @inlinable @inline(__always)
    init() { bits = 0 }

    @inlinable @inline(__always)
    init(_ entry: Unmanaged<Entry<Value>>, hash: Int) {
        let address = UInt(bitPattern: entry.toOpaque())
        precondition(
            address & Self.tagMask == 0,
            "The address of an object must be a multiple of 16."
        )
        bits = address | Self.tag(of: hash)
    }

    @inlinable @inline(__always) var isEmpty: Bool { bits == 0 }

    /// Whether the entry may have a hash: always if it has, seldom if it has another.
    @inlinable @inline(__always)
    func mayHold(_ hash: Int) -> Bool { bits & Self.tagMask == Self.tag(of: hash) }

    /// The entry, without a reference counted.
    @inlinable @inline(__always) var entry: Unmanaged<Entry<Value>>? {
        UnsafeRawPointer(bitPattern: bits & ~Self.tagMask).map { .fromOpaque($0) }
    }

    @inlinable @inline(__always) static var tagMask: UInt { 15 }

    // The highest bits: the lower ones have chosen the stripe and the slot.
    @inlinable @inline(__always)
    static func tag(of hash: Int) -> UInt {
        UInt(bitPattern: hash) >> (UInt(UInt.bitWidth) - 4)
    }
}
