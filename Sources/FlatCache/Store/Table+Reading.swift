extension Table {
    /// Returns the value of an identifier, as of the latest visible commit or of an open snapshot's
    /// version.
    ///
    /// Any thread can call this method.
    @inlinable @inline(__always)
    func value(id: Value.ID, hash: UInt32, at version: UInt64?) -> Value? {
        let stripe = stripe(of: hash)
        stripe.acquire()
        defer { stripe.release() }
        let segment = stripe.state.pointee.segment(of: hash)
        guard let slot = segment.slot(of: id, hash: hash) else { return nil }
        // The visible version is read under the lock. The values that this version displaced are
        // kept until the writer acquires the lock once more.
        let version = version ?? clock.visibleVersion
        if stripe.state.pointee.recordsReads { stripe.marks(of: segment).recordAccess(slot) }
        return (segment.entries + slot).pointee.value(at: version)
    }

    /// Returns the latest visible value of a handle, using the entry that the handle has stored.
    ///
    /// Any thread can call this method.
    @inlinable @inline(__always)
    func value(of handle: Cached<Value>) -> Value? {
        let stripe = stripe(of: handle.idHash)
        stripe.acquire()
        guard let entry = handle.entry,
            handle.layoutGeneration == stripe.state.pointee.layoutGeneration
        else {
            stripe.release()
            return findValue(of: handle)
        }
        defer {
            stripe.release()
            withExtendedLifetime(handle) {}
        }
        let version = clock.visibleVersion
        if stripe.state.pointee.recordsReads {
            let segment = stripe.state.pointee.segment(of: handle.idHash)
            stripe.marks(of: segment).recordAccess(entry - segment.entries)
        }
        return entry.pointee.value(at: version)
    }

    /// Returns the latest visible value of a handle, and stores its entry in the handle.
    ///
    /// Called if the handle has no entry, or if its entry may have left the table.
    @usableFromInline
    func findValue(of handle: Cached<Value>) -> Value? {
        // The caller may not have retained the handle for this call, during which `==` of the
        // identifier could release it.
        let retained = Unmanaged.passRetained(handle)
        defer { retained.release() }
        let stripe = stripe(of: handle.idHash)
        stripe.acquire()
        defer { stripe.release() }
        let segment = stripe.state.pointee.segment(of: handle.idHash)
        let slot = segment.slot(of: handle.id, hash: handle.idHash)
        handle.remember(
            slot.map { segment.entries + $0 },
            asOf: stripe.state.pointee.layoutGeneration
        )
        guard let slot else { return nil }
        let version = clock.visibleVersion
        if stripe.state.pointee.recordsReads { stripe.marks(of: segment).recordAccess(slot) }
        return (segment.entries + slot).pointee.value(at: version)
    }

    /// Returns the number of values, as of the latest visible commit or of an open snapshot's
    /// version.
    ///
    /// Any thread can call this method.
    @usableFromInline
    func count(at version: UInt64?) -> Int {
        committedCount.withLock { $0.count(at: version ?? clock.visibleVersion) }
    }

    var contentName: String? {
        guard let state = Value.self as? any StateOfCache.Type else { return "\(Value.self)" }
        return state.contentName
    }

    /// Calls a closure with each value as of an open snapshot's version.
    ///
    /// Any thread can call this method. The snapshot must be open during the whole call, so that
    /// its values are kept. Entries that are added meanwhile are too new for it.
    @inlinable
    func forEachValue(at version: UInt64, _ body: (Value.ID, Value) -> Void) {
        for index in 0..<Stripes.count {
            var scan = StripeScan(of: stripe(at: index))
            while let values = scan.next(at: version) {
                for (id, value) in values { body(id, value) }
            }
        }
    }
}

// The entries of a table, with the writes of the open transaction so far.
//
// Everything here is called under the writers' lock.
extension Table {
    /// Returns the entry of an identifier, whether or not it has a value now.
    ///
    /// The result is valid until an entry is inserted or the writers' lock is released.
    @inlinable @inline(__always)
    func entry(id: Value.ID, hash: UInt32) -> Segment<Value>.Pointer? {
        segment(of: hash).entry(id: id, hash: hash)
    }

    @inlinable
    func entryID(id: Value.ID, hash: UInt32) -> EntryID? {
        let segment = segment(of: hash)
        return segment.slot(of: id, hash: hash).map { segment.id(ofSlot: $0) }
    }

    /// The number of entries to look up before the first of them is written.
    ///
    /// A processor overlaps about as many memory accesses.
    @inlinable static var lookupsAtATime: Int { 16 }

    /// Returns the value of an identifier, with the writes of the open transaction so far.
    @inlinable
    func writtenValue(id: Value.ID) -> Value? {
        entry(id: id, hash: hash(of: id))?.pointee.value
    }

    /// The number of values, with the writes of the open transaction so far.
    @usableFromInline var writtenCount: Int { count(at: nil) + countDifference }

    /// Calls a closure with each value, with the writes of the open transaction so far.
    @inlinable
    func forEachWrittenValue(_ body: (Value.ID, Value) -> Void) {
        forEachEntry { _, entry in
            if let value = entry.pointee.value { body(entry.pointee.id, value) }
        }
    }

    /// Calls a closure with each segment, in the order of the stripes and of the hashes.
    ///
    /// The closure must not insert an entry.
    @inlinable
    func forEachSegment(_ body: (Stripe<Value>, Segment<Value>) -> Void) {
        for index in 0..<Stripes.count {
            let stripe = stripe(at: index)
            var position: UInt64 = 0
            while position < HashRange.all.end {
                let segment = stripe.state.pointee.segment(of: UInt32(position))
                position = segment.header.pointee.range.end
                body(stripe, segment)
            }
        }
    }

    /// Calls a closure with each entry, with or without a value.
    ///
    /// The closure must not insert an entry.
    @inlinable
    func forEachEntry(_ body: (EntryID, Segment<Value>.Pointer) -> Void) {
        forEachSegment { _, segment in
            segment.forEachSlot { body(segment.id(ofSlot: $0), segment.entries + $0) }
        }
    }

    func entry(of key: CacheKey) -> EntryID? { steps.entry(self, key) }

    @inlinable
    func entryID(of key: CacheKey) -> EntryID? {
        guard let id: Value.ID = key.identifier.typed() else { return nil }
        return entryID(id: id, hash: hash(of: id))
    }

    func hasValue(_ entry: EntryID) -> Bool { self[entry].pointee.value != nil }
}

/// An iteration over the entries of a stripe for an open snapshot, while the stripe may be written
/// to.
///
/// The table that owns the stripe must outlive the scan. Between steps, the scan keeps only a
/// position among the hashes. The order of the hashes remains the same when segments are divided or
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
