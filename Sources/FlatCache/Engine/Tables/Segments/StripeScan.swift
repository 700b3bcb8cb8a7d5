/// An iteration over the entries of a stripe for an open snapshot, while the stripe may be written
/// to.
///
/// The table that owns the stripe must outlive the scan. Between steps, the scan keeps only a
/// position among the hashes. The order of the hashes stays the same when segments are divided or
/// joined.
@usableFromInline
struct StripeScan<Value: Identifiable & Sendable> where Value.ID: Sendable {
    @usableFromInline let stripe: Stripe<Value>
    /// The first hash whose entries haven't been returned.
    @usableFromInline var position: UInt64 = 0
    @usableFromInline var serial: UInt64 = 0

    // The number is so small that waiting for a large segment takes no longer than for a small one.
    @usableFromInline static var slotsAtATime: Int { 64 }

    @usableFromInline
    init(of stripe: Stripe<Value>) {
        self.stripe = stripe
    }

    /// Returns the values of the next segment as of a version, or `nil` at the end.
    @usableFromInline
    mutating func next(at version: UInt64) -> [(id: Value.ID, value: Value)]? {
        if position == HashRange.all.end { return nil }
        var values: [(id: Value.ID, value: Value)] = []
        var nextSlot = 0
        while true {
            // Reserved outside the lock, so that other threads don't wait for the allocation.
            values.reserveCapacity(max(values.count + Self.slotsAtATime, values.count * 2))
            stripe.acquire()
            let segment = stripe.state.pointee.segment(of: UInt32(position))
            let isReplaced = nextSlot > 0 && serial != segment.header.pointee.serial
            serial = segment.header.pointee.serial
            if isReplaced { nextSlot = 0 }
            let end = min(nextSlot + Self.slotsAtATime, segment.capacity)
            if !isReplaced {
                for slot in nextSlot..<end where segment.tags[slot].isOccupied {
                    let entry = segment.entries + slot
                    // A joined segment also contains entries that an earlier step has returned.
                    guard entry.pointee.hash >= UInt32(position) else { continue }
                    if let value = entry.pointee.value(at: version) {
                        values.append((entry.pointee.id, value))
                    }
                }
                nextSlot = end
            }
            let isAtEnd = nextSlot == segment.capacity
            let rangeEnd = segment.header.pointee.range.end
            stripe.release()
            if isReplaced { values.removeAll(keepingCapacity: true) }
            if isAtEnd {
                position = rangeEnd
                return values
            }
        }
    }
}
