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

    /// Returns the entry of an identifier as an `EntryID`.
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
