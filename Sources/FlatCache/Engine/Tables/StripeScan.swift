/// An iteration over the entries of a stripe for an open snapshot, while the stripe may be written
/// to.
///
/// The table that owns the stripe must outlive the scan. Between steps, the scan keeps only a
/// position in the stripe's region.
@usableFromInline
struct StripeScan<Value: Identifiable & Sendable> where Value.ID: Sendable {
    @usableFromInline let stripe: Stripe<Value>
    @usableFromInline var nextSlot = 0
    @usableFromInline var rebuilds: UInt32?
    /// The identifiers found so far.
    @usableFromInline var found: [Value.ID] = []
    /// The identifiers found before all entries moved to other slots, where some are met again.
    @usableFromInline var foundBefore: Set<Value.ID> = []

    // The number is so small that waiting for a large stripe takes no longer than for a small one.
    @inlinable static var slotsAtATime: Int { 64 }

    @inlinable
    init(of stripe: Stripe<Value>) {
        self.stripe = stripe
    }

    /// Returns the values of the next few slots as of a version, or `nil` at the end.
    @inlinable
    mutating func next(at version: UInt64) -> [(id: Value.ID, value: Value)]? {
        var values: [(id: Value.ID, value: Value)] = []
        // Reserved outside the lock, so that other threads don't wait for the allocation.
        values.reserveCapacity(Self.slotsAtATime)
        stripe.acquire()
        let isRebuilt = rebuilds != nil && rebuilds != stripe.state.pointee.rebuilds
        rebuilds = stripe.state.pointee.rebuilds
        if isRebuilt { nextSlot = 0 }
        let region = stripe.state.pointee.region
        let end = min(nextSlot + Self.slotsAtATime, region.capacity)
        let isAtEnd = nextSlot == end
        for slot in nextSlot..<end where region.tags[slot].isOccupied {
            let entry = region.entries + slot
            if let value = entry.pointee.value(at: version) {
                values.append((entry.pointee.id, value))
            }
        }
        nextSlot = end
        stripe.release()
        if isAtEnd { return nil }
        if isRebuilt { foundBefore.formUnion(found) }
        if !foundBefore.isEmpty { values.removeAll { foundBefore.contains($0.id) } }
        // Generic code doesn't turn a key path into a closure, and would take twice as long with
        // one.
        found.append(contentsOf: values.lazy.map { $0.id })
        return values
    }
}
