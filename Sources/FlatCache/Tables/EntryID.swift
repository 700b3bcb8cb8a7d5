/// Names an entry of a table: the number of the slot that it is in.
///
/// Valid under the writers' lock, until the table is rebuilt.
@usableFromInline
struct EntryID: Hashable, Sendable {
    @usableFromInline let slot: UInt32

    @inlinable @inline(__always)
    init(slot: UInt32) { self.slot = slot }
}
