/// The identifier of an entry in a table: the number of its slot.
///
/// Valid under the writers' lock, until the table is rebuilt.
@usableFromInline
struct EntryID: Hashable, Sendable {
    @usableFromInline let slot: UInt32

    @inlinable @inline(__always)
    init(slot: UInt32) { self.slot = slot }
}
