/// A way through the entries of a stripe while it is written to, for an open snapshot.
///
/// The table that owns the stripe must outlive it. Of the stripe's region it keeps only a position.
@usableFromInline
struct StripeScan<Value: Identifiable & Sendable> where Value.ID: Sendable {
    @usableFromInline let stripe: Stripe<Value>
    @usableFromInline var nextSlot = 0
    @usableFromInline var rebuilds: UInt64?
    /// What has been found so far.
    @usableFromInline var found: [Value.ID] = []
    /// What had been found when all entries moved to other slots, where some will be met again.
    @usableFromInline var foundBefore: Set<Value.ID> = []

    // So few that nobody waits longer for a large stripe than for a small one.
    @inlinable static var slotsAtATime: Int { 64 }

    @inlinable
    init(of stripe: Stripe<Value>) {
        self.stripe = stripe
    }

    /// The values of the next few slots, as of a version; `nil` at the end.
    @inlinable
    mutating func next(at version: UInt64) -> [(id: Value.ID, value: Value)]? {
        var values: [(id: Value.ID, value: Value)] = []
        // Not under the lock, where others would wait for the allocation.
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
        // In generic code a key path would not be made a closure, and take as long as all the rest.
        found.append(contentsOf: values.lazy.map { $0.id })
        return values
    }
}
