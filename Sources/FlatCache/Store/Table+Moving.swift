// The growth and the division of segments, under the writers' lock.
extension Table {
    /// Replaces the segment for a hash until it has room for another entry.
    ///
    /// - Complexity: O(*s*) in the size of a segment; on average, a constant for each entry that
    ///   was added or has left since the segment was created.
    @usableFromInline
    func makeRoom(for hash: UInt32, in writer: Writer) {
        var segment = segment(of: hash)
        repeat {
            let division = division(of: segment)
            replace(
                [segment],
                of: segment.header.pointee.range,
                by: division,
                inStripe: Stripes.index(of: hash),
                in: writer
            )
            segment = self.segment(of: hash)
        } while segment.isFull
    }

    /// Returns the number of segments by which a full one is replaced, and their expected entries.
    @usableFromInline
    func division(of segment: Segment<Value>) -> SegmentDivision {
        let depth = Int(segment.header.pointee.depth)
        let count = Int(segment.header.pointee.count)
        let expected = (expectedCount / Stripes.count) >> depth
        var bits = size.partBits(for: max(count, expected))
        // Entries with equal hashes can't be divided.
        if bits > 0, expected <= count, hasEqualHashes(segment) { bits = 0 }
        let total = max(entryCount, expectedCount) / Stripes.count
        bits = min(bits, max(size.maximumDepth(for: total) - depth, 0))
        return SegmentDivision(bits: bits, expectedCount: expected >> bits)
    }

    private func hasEqualHashes(_ segment: Segment<Value>) -> Bool {
        var hash: UInt32?
        for slot in 0..<segment.capacity where segment.tags[slot].isOccupied {
            let other = (segment.entries + slot).pointee.hash
            if let hash, hash != other { return false }
            hash = other
        }
        return true
    }

    /// Moves the entries of adjacent segments to new ones with the capacities that they need and
    /// some room for more.
    ///
    /// Readers use the old segments meanwhile, and wait only for the replacement of the pointers.
    ///
    /// - Parameters:
    ///   - old: The segments.
    ///   - range: The range of hashes that they contain together.
    ///   - division: The number of new segments.
    ///   - index: The index of the stripe.
    ///   - writer: The writer.
    @usableFromInline
    func replace(
        _ old: [Segment<Value>],
        of range: HashRange,
        by division: SegmentDivision,
        inStripe index: Int,
        in writer: Writer
    ) {
        let stripe = stripe(at: index)
        let new = newSegments(for: old, of: range, by: division, inStripe: index)
        var places: [[EntryID]] = []
        for segment in old {
            places.append(move(segment, to: new, range, bits: division.bits, in: writer))
        }
        assert(new.allSatisfy { $0.isInOrder(inStripe: index) }, "Probing must find the entries.")
        if limits != nil {
            for (segment, places) in zip(old, places) {
                moveLimits(of: segment, to: places, stripe)
            }
        }
        stripe.replaceSegments(in: range, by: new, bits: division.bits)
        for (segment, places) in zip(old, places) {
            if !Self.isEntryTakable { segment.deinitializeEntries() }
            segments.remove(segment, movedTo: pending.isEmpty ? [] : places)
        }
        // A call that stores fewer entries than expected leaves memory to release.
        if division.expectedCount > 0 { for segment in new { listAsSparse(segment, in: stripe) } }
    }

    /// Creates the segments to which entries move.
    @usableFromInline
    func newSegments(
        for old: [Segment<Value>],
        of range: HashRange,
        by division: SegmentDivision,
        inStripe index: Int
    ) -> [Segment<Value>] {
        var counts = [Int](repeating: 0, count: 1 << division.bits)
        for segment in old {
            let memory = EntryMemory(segment)
            segment.forEachSlot { slot in
                let hash = memory.header(ofSlot: slot).hash
                counts[range.part(of: hash, bits: division.bits)] += 1
            }
        }
        return counts.indices.map { part in
            segments.create(
                capacity: size.capacity(for: counts[part], expecting: division.expectedCount),
                range.part(at: part, bits: division.bits),
                inStripe: index
            )
        }
    }

    /// `true` if an entry's bytes can be read in two places during a move.
    ///
    /// It is `true` for all types without weak references. A bitwise-takable value is moved by a
    /// plain copy of its bytes. That leaves the old bytes unchanged. Copying a value out of either
    /// place counts the same references.
    @inlinable static var isEntryTakable: Bool {
        _isBitwiseTakable(Value.self) && _isBitwiseTakable(Value.ID.self)
    }

    /// Moves the entries of a segment to new ones.
    ///
    /// The old segment remains readable, under the lock of the stripe, until the segments are
    /// replaced. It keeps the same bytes or, if the bytes can't be in two places, the entries from
    /// which the new ones were copied.
    ///
    /// - Returns: The new identifiers of the entries by slot, or an empty array if nothing refers
    ///   to the entries by their identifiers.
    @usableFromInline
    func move(
        _ segment: Segment<Value>,
        to new: [Segment<Value>],
        _ range: HashRange,
        bits: Int,
        in writer: Writer
    ) -> [EntryID] {
        let hasReferences =
            limits != nil || journal != nil || !pending.isEmpty || !unreclaimed.isEmpty
            || !staleness.isEmpty
        let noPlace = EntryID(segment: segment.number, slot: 0)
        var places = hasReferences ? [EntryID](repeating: noPlace, count: segment.capacity) : []
        let isTakable = Self.isEntryTakable
        let memory = EntryMemory(segment)
        segment.forEachSlot { slot in
            let header = memory.header(ofSlot: slot)
            let (hash, node) = (header.hash, header.node)
            let target = new[range.part(of: hash, bits: bits)]
            let newSlot = target.freeSlot(for: hash)
            if isTakable {
                memory.copy(slot, to: newSlot, of: target)
            } else {
                (target.entries + newSlot).initialize(to: (segment.entries + slot).pointee.copy())
            }
            target.occupy(newSlot, hash: hash)
            if hasReferences { places[slot] = target.id(ofSlot: newSlot) }
            if node != .none { recordMove(node, to: target.id(ofSlot: newSlot), in: writer) }
        }
        if journal != nil || !unreclaimed.isEmpty || !staleness.isEmpty || !removalReasons.isEmpty {
            renameEntries(of: segment, to: places)
        }
        return places
    }

    @usableFromInline
    func recordMove(_ node: WatchNodeID, to entry: EntryID?, in writer: Writer) {
        writer.nodeChanges.append(NodeChange(node: node, entry: entry))
    }

    /// Renames the moved entries of a segment in the collections of identifiers.
    @usableFromInline
    func renameEntries(of segment: Segment<Value>, to places: [EntryID]) {
        segment.forEachSlot { slot in
            let (old, new) = (segment.id(ofSlot: slot), places[slot])
            if !unreclaimed.isEmpty, unreclaimed.remove(old) { unreclaimed.insert(new) }
            if !staleness.isEmpty { staleness.move(old, to: new) }
            if let journal { journal.move(old, to: new) }
            if !removalReasons.isEmpty {
                removalReasons[new] = removalReasons.removeValue(forKey: old)
            }
        }
        journal?.removeSegment(numbered: segment.number)
    }

    /// Moves the eviction state, the marks and the freshness records of the entries of a segment.
    @usableFromInline
    func moveLimits(of segment: Segment<Value>, to places: [EntryID], _ stripe: Stripe<Value>) {
        for start in stride(from: 0, to: segment.capacity, by: Self.marksAtATime) {
            stripe.acquire()
            for slot in start..<min(start + Self.marksAtATime, segment.capacity)
            where segment.tags[slot].isOccupied {
                let new = segments.segment(of: places[slot])
                stripe.marks(of: new)[Int(places[slot].slot)] = stripe.marks(of: segment)[slot]
            }
            stripe.release()
        }
        segment.forEachSlot { slot in
            let place = places[slot]
            limits?.state.move(segment.id(ofSlot: slot), to: place)
            guard let record = segment.header.pointee.records?[slot] else { return }
            let new = segments.segment(of: place)
            // Readers don't know the new segment yet.
            if new.header.pointee.records == nil { new.header.pointee.records = new.makeRecords() }
            new.header.pointee.records?[Int(place.slot)] = record
        }
        limits?.state.removeSegment(numbered: segment.number)
    }

    /// The number of marks that are moved under the stripe's lock at a time.
    private static var marksAtATime: Int { 64 }

    /// Replaces the previous identifiers of pending entries that have moved.
    @usableFromInline
    func resolvePending() {
        if segments.isForwarding { renamePending() }
    }

    @usableFromInline
    func renamePending() {
        for index in pending.indices { pending[index] = segments.current(pending[index]) }
        segments.endForwarding()
    }
}

/// The number of segments by which others are replaced.
@usableFromInline
struct SegmentDivision {
    /// The binary logarithm of the number of segments.
    @usableFromInline let bits: Int
    /// The number of entries that the current call is expected to store in each, or zero.
    @usableFromInline let expectedCount: Int

    @inlinable
    init(bits: Int, expectedCount: Int) {
        self.bits = bits
        self.expectedCount = expectedCount
    }
}

// The release of memory when entries leave, under the writers' lock.
extension Table {
    /// Lists a segment for the end of the commit if few of its slots are occupied.
    @usableFromInline
    func listIfSparse(_ segment: Segment<Value>, in stripe: Stripe<Value>) {
        if segment.isSparse { listAsSparse(segment, in: stripe) }
    }

    @usableFromInline
    func listAsSparse(_ segment: Segment<Value>, in stripe: Stripe<Value>) {
        if segment.header.pointee.isListedAsSparse { return }
        setIsListed(true, segment, in: stripe)
        sparseSegments.append(segment.number)
    }

    @usableFromInline
    func setIsListed(_ isListed: Bool, _ segment: Segment<Value>, in stripe: Stripe<Value>) {
        stripe.acquire()
        segment.header.pointee.isListedAsSparse = isListed
        stripe.release()
    }

    /// Releases the memory of the listed segments, at the end of a commit.
    @usableFromInline
    func shrinkSparseSegments(in writer: Writer) {
        while let number = sparseSegments.popLast() {
            // The number may be free, or belong to another segment by now.
            guard let segment = segments.segment(numbered: number),
                segment.header.pointee.isListedAsSparse
            else { continue }
            setIsListed(false, segment, in: stripe(ofSegment: number))
            shrink(segment, in: writer)
        }
        sparseSegments.removeAll(keepingCapacity: sparseSegments.capacity <= 64)
    }

    /// Joins a sparse segment with its neighbors, or replaces it by a smaller one.
    @usableFromInline
    func shrink(_ segment: Segment<Value>, in writer: Writer) {
        guard segment.isSparse else { return }
        let stripe = stripe(ofSegment: segment.number)
        let (joined, range) = stripe.segmentsToJoin(with: segment, size)
        let count = Int(truncatingIfNeeded: segment.header.pointee.count)
        if joined.count == 1, size.capacity(for: count) >= segment.capacity { return }
        replace(
            joined,
            of: range,
            by: SegmentDivision(bits: 0, expectedCount: 0),
            inStripe: Stripes.index(of: segment.number),
            in: writer
        )
        stripe.shrinkDirectory()
    }
}
