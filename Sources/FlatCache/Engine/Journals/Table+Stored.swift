/// The freshness record of a value, and the version that stored the value.
@usableFromInline
struct StoredRecord {
    @usableFromInline let version: UInt64
    @usableFromInline let record: FreshnessRecord
}

extension Table {
    /// The number of identifiers whose entries are loaded ahead of the reading.
    ///
    /// The entries must fit into the processor's cache.
    @usableFromInline static var idsReadAtATime: Int { 256 }

    /// Brings the entries of some identifiers into the processor's cache; returns `false` if there
    /// are none.
    ///
    /// To acquire a lock, or to retain a part of a value, a processor waits for its earlier
    /// accesses to memory. If entities are read one by one, it therefore waits for main memory
    /// several times for each of them. This method groups the identifiers by stripe, so that the
    /// processor accesses the entries of a stripe at the same time (row 32a of Benchmarks).
    @usableFromInline
    func loadEntries(of ids: ChunkedArray<Value.ID>, in range: Range<Int>) -> Bool {
        let count = range.count
        return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 2 * count) { hashes in
            withUnsafeTemporaryAllocation(of: Int.self, capacity: Stripes.count + 1) { ends in
                // The hashes are sorted by counting those of each stripe.
                ends.initialize(repeating: 0)
                for index in 0..<count {
                    let hash = hash(of: ids[range.lowerBound &+ index])
                    hashes.initializeElement(at: index, to: hash)
                    ends[Stripes.index(of: hash) &+ 1] &+= 1
                }
                for stripe in 0..<Stripes.count { ends[stripe &+ 1] &+= ends[stripe] }
                for index in 0..<count {
                    let hash = hashes[index]
                    let stripe = Stripes.index(of: hash)
                    hashes.initializeElement(at: count &+ ends[stripe], to: hash)
                    ends[stripe] &+= 1
                }
                var sum = 0
                var place = 0
                for index in 0..<Stripes.count where place < ends[index] {
                    let stripe = stripe(at: index)
                    stripe.acquire()
                    while place < ends[index] {
                        let hash = hashes[count &+ place]
                        let segment = stripe.state.pointee.segment(of: hash)
                        sum &+= segment.loadEntry(ofHash: hash)
                        place &+= 1
                    }
                    stripe.release()
                }
                return sum > 0
            }
        }
    }

    /// Returns the value of an identifier as of the version of an open snapshot.
    ///
    /// Any thread can call this method. It doesn't count as a read.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - hash: The hash of the identifier.
    ///   - version: The version.
    ///   - record: Set to the freshness record of the value, if there is one.
    @usableFromInline @inline(__always)
    func stored(
        _ id: Value.ID,
        hash: UInt32,
        at version: UInt64,
        _ record: inout StoredRecord?
    ) -> Value? {
        let stripe = stripe(of: hash)
        stripe.acquire()
        defer { stripe.release() }
        let segment = stripe.state.pointee.segment(of: hash)
        guard let slot = segment.slot(of: id, hash: hash) else { return nil }
        if stripe.state.pointee.recordsFreshness {
            record = segment.storedRecord(of: slot, at: version)
        }
        return (segment.entries + slot).pointee.value(at: version)
    }
}

extension Segment {
    /// Brings the value of the entry with a hash into the processor's cache; returns a positive
    /// number, or zero if there's no such entry.
    ///
    /// The number depends on the memory, so that the compiler can't leave out the access.
    @usableFromInline @inline(__always)
    func loadEntry(ofHash hash: UInt32) -> Int {
        let tag = SlotTag(hash: hash)
        var slot = homeSlot(of: hash)
        while true {
            let found = tags[slot]
            if found == tag, (entries + slot).pointee.hash == hash { break }
            if found == .empty { return 0 }
            slot = slotAfter(slot)
        }
        return withUnsafeBytes(of: &(entries + slot).pointee.value) { bytes in
            var sum = 1
            var position = bytes.count &- 1
            while position >= 0 {
                sum &+= Int(bytes[position])
                position &-= ProcessorCacheLine.size
            }
            return sum
        }
    }

    @usableFromInline
    func storedRecord(of slot: Int, at version: UInt64) -> StoredRecord? {
        let entry = entries + slot
        if entry.pointee.version <= version {
            return StoredRecord(version: entry.pointee.version, record: record(of: slot))
        }
        guard let record = entry.pointee.priorFreshness(at: version) else { return nil }
        return StoredRecord(version: entry.pointee.storedVersion(at: version) ?? 0, record: record)
    }
}
