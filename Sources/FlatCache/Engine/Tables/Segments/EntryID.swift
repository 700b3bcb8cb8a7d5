/// The identifier of an entry in a table: the number of its segment, and its slot there.
///
/// Valid under the writers' lock, until the entry moves to another segment. Then the table renames
/// the entry in its own collections, in the limits and in the watch graph.
@usableFromInline
struct EntryID: Hashable, Sendable {
    @usableFromInline let segment: UInt32
    @usableFromInline let slot: UInt32

    @inlinable @inline(__always)
    init(segment: UInt32, slot: Int) {
        self.segment = segment
        self.slot = UInt32(truncatingIfNeeded: slot)
    }
}
