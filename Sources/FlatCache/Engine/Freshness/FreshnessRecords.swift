/// The freshness records of the entries of a stripe.
///
/// They are written under both the writers' lock and the stripe's lock, so either suffices to read
/// them.
@usableFromInline
struct FreshnessRecords {
    @usableFromInline let base: UnsafeMutablePointer<FreshnessRecord>

    @inlinable @inline(__always)
    init(base: UnsafeMutablePointer<FreshnessRecord>) { self.base = base }

    @inlinable @inline(__always)
    subscript(slot: Int) -> FreshnessRecord {
        get { base[slot] }
        nonmutating _modify { yield &base[slot] }
    }
}

/// The memory for a table's freshness records, with the same capacity as its `EntryBlock`.
@usableFromInline
final class FreshnessBlock: @unchecked Sendable {
    // The pointer is constant, and the memory is guarded like each stripe's records.

    @usableFromInline let capacity: Int
    @usableFromInline let memory: UnsafeMutablePointer<FreshnessRecord>

    init(capacity: Int) {
        self.capacity = capacity
        memory = .allocate(capacity: Stripes.count * capacity)
        memory.initialize(repeating: FreshnessRecord(), count: Stripes.count * capacity)
    }

    deinit { memory.deallocate() }

    @inlinable
    func records(ofStripe index: Int) -> FreshnessRecords {
        FreshnessRecords(base: memory + index * capacity)
    }
}
