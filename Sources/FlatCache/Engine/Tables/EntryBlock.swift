/// The memory of a table, in which each stripe has a region with the same number of slots.
///
/// The entries themselves are stored in the slots. The time of a lookup in a large table depends on
/// the number of accesses to main memory that must wait for each other: with entries apart from the
/// slots, it doubled (row 2 of Benchmarks). All stripes share one piece of memory, because many
/// small ones would occupy more pages than a processor keeps the addresses of.
@usableFromInline
final class EntryBlock<Value: Identifiable & Sendable>: @unchecked Sendable
where Value.ID: Sendable {
    // The pointers' memory is guarded like the stripe that it belongs to. The other properties are
    // constant or name their guard.

    /// The number of slots of each stripe.
    @usableFromInline let capacity: Int
    @usableFromInline let tags: UnsafeMutablePointer<SlotTag>
    @usableFromInline let entries: UnsafeMutablePointer<Entry<Value>>

    /// A Boolean value that indicates whether the entries have been moved to another block, so that
    /// none is left to deinitialize.
    ///
    /// Guarded by the writers' lock.
    @usableFromInline var isLeftUninitialized = false

    @inlinable static var leastCapacity: Int { 2 }

    @usableFromInline
    init(capacity: Int) {
        let (count, isTooLarge) = Stripes.count.multipliedReportingOverflow(by: capacity)
        precondition(
            !isTooLarge && UInt32(exactly: count) != nil,
            "A cache has no room for so many values of one type: remove some, or use another cache."
        )
        self.capacity = capacity
        tags = .allocate(capacity: count)
        tags.initialize(repeating: .empty, count: count)
        entries = .allocate(capacity: count)
    }

    /// Returns the identifier in the new block of an entry that has moved there, and that has left
    /// its new slot in place of its node.
    func newID(of entry: EntryID) -> EntryID {
        EntryID(slot: UInt32(bitPattern: (entries + Int(entry.slot)).pointee.node.index))
    }

    deinit {
        if !isLeftUninitialized {
            for slot in 0..<Stripes.count * capacity where tags[slot].isOccupied {
                (entries + slot).deinitialize(count: 1)
            }
        }
        tags.deallocate()
        entries.deallocate()
    }
}
