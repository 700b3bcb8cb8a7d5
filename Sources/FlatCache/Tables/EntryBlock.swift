/// The memory of a table: for each stripe a region of as many slots as for each other one.
///
/// The entries themselves lie in the slots. A lookup in a large table is a matter of how many
/// accesses to main memory have to wait for each other: with entries apart from the slots it took
/// twice as long (row 2 of Benchmarks). And it is one piece of memory for all stripes, since many
/// small ones would lie on more pages than a processor keeps the addresses of.
@usableFromInline
final class EntryBlock<Value: Identifiable & Sendable>: @unchecked Sendable
where Value.ID: Sendable {
    // What the pointers point to is guarded like the stripe that it is part of; the rest is constant
    // or names its guard.

    /// How many slots each stripe has.
    @usableFromInline let capacity: Int
    @usableFromInline let tags: UnsafeMutablePointer<SlotTag>
    @usableFromInline let entries: UnsafeMutablePointer<Entry<Value>>

    /// Whether the entries have been moved to another block, so that none is left to deinitialize.
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
