/// A way through the entries of a stripe while it is written to, for an open snapshot.
struct StripeScan<Value: Identifiable & Sendable> where Value.ID: Sendable {
    private let stripe: Stripe<Value>
    private var nextSlot = 0
    private var rebuilds: UInt64?
    /// What has been found so far.
    private var found: [Value.ID] = []
    /// What had been found when all entries moved to other slots, where some will be met again.
    private var foundBefore: Set<Value.ID> = []

    // So few that nobody waits longer for a large stripe than for a small one.
    private static var slotsAtATime: Int { 64 }

    init(of stripe: Stripe<Value>) {
        self.stripe = stripe
    }

    /// The values of the next few slots, as of a version; `nil` at the end.
    mutating func next(at version: UInt64) -> [(id: Value.ID, value: Value)]? {
        var values: [(id: Value.ID, value: Value)] = []
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
        found.append(contentsOf: values.lazy.map(\.id))
        return values
    }
}
