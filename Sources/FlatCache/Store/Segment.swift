/// A part of a table: a small hash table with open addressing, for the entries of one hash range
/// in one stripe.
///
/// The algorithm is linear probing (Knuth, "The Art of Computer Programming", volume 3, section
/// 6.4, algorithm L), with a mark for the slots of entries that have left.
///
/// It replaces a `Dictionary` for three reasons. A handle stores the hash of its identifier, so
/// that it never hashes again. An entry keeps its address until its segment is replaced, so that a
/// handle finds it without a search. New segments are filled while readers use the old ones, so
/// that they wait only for the replacement of pointers.
///
/// The entries themselves are stored in the slots, because the time of a lookup in a large table
/// depends on the number of accesses to main memory that must wait for each other: with entries
/// apart from the slots, it doubled (row 2 of Benchmarks). For the same reason, the directory of
/// the stripe contains this value with the addresses of both the tags and the entries. The header
/// lies before the entries. Tags and marks lie in a `TagArena` or before the header.
///
/// The memory belongs to a `SegmentList`. Locked like the stripe.
@usableFromInline
struct Segment<Value: Identifiable & Sendable> where Value.ID: Sendable {
    @usableFromInline typealias Pointer = UnsafeMutablePointer<Entry<Value>>

    @usableFromInline let entries: Pointer
    @usableFromInline let tags: UnsafeMutablePointer<SlotTag>
    @usableFromInline let slotCount: UInt32
    /// The number of the segment in its `SegmentList`.
    @usableFromInline let number: UInt32

    @inlinable @inline(__always)
    init(
        entries: Pointer,
        tags: UnsafeMutablePointer<SlotTag>,
        slotCount: UInt32,
        number: UInt32
    ) {
        self.entries = entries
        self.tags = tags
        self.slotCount = slotCount
        self.number = number
    }

    @inlinable @inline(__always) var capacity: Int { Int(truncatingIfNeeded: slotCount) }

    // MARK: Memory

    @inlinable @inline(__always) var header: UnsafeMutablePointer<SegmentHeader> {
        Self.header(before: entries)
    }

    @inlinable @inline(__always)
    static func header(before entries: Pointer) -> UnsafeMutablePointer<SegmentHeader> {
        (UnsafeMutableRawPointer(entries) - SegmentHeader.byteCount)
            .assumingMemoryBound(to: SegmentHeader.self)
    }

    /// The base of the `EvictionMarks`.
    @inlinable var marks: UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(tags) + TagArena.marksOffset(capacity: capacity)
    }

    private static var alignment: Int { max(16, MemoryLayout<Entry<Value>>.alignment) }

    /// Returns the number of bytes before the entries, a multiple of their alignment.
    private static func prefixSize(capacity: Int) -> Int {
        let mapSize = TagArena.contains(capacity: capacity) ? 0 : (capacity + 15) & ~15
        return (SegmentHeader.byteCount + 2 * mapSize + alignment - 1) & ~(alignment - 1)
    }

    static func allocate(
        capacity: Int,
        number: UInt32,
        serial: UInt64,
        _ range: HashRange,
        in arena: inout TagArena
    ) -> Segment {
        guard let slotCount = UInt32(exactly: capacity) else {
            preconditionFailure(
                """
                A cache has no room for so many values of one type: remove some, or use another \
                cache.
                """
            )
        }
        let prefixSize = prefixSize(capacity: capacity)
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: prefixSize + capacity * MemoryLayout<Entry<Value>>.stride,
            alignment: alignment
        )
        let cell = TagArena.contains(capacity: capacity) ? arena.allocate() : nil
        let tags = (cell?.tags ?? memory).bindMemory(to: SlotTag.self, capacity: capacity)
        tags.initialize(repeating: .empty, count: capacity)
        let segment = Segment(
            entries: (memory + prefixSize).bindMemory(to: Entry<Value>.self, capacity: capacity),
            tags: tags,
            slotCount: slotCount,
            number: number
        )
        segment.marks.initializeMemory(as: UInt8.self, repeating: 0, count: capacity)
        segment.header.initialize(
            to: SegmentHeader(
                serial: serial,
                slotCount: slotCount,
                range: range,
                tags: tags,
                chunk: cell?.chunk
            )
        )
        return segment
    }

    /// Frees the memory, in which no entry must be left.
    func deallocate(in arena: inout TagArena) {
        let header = header.pointee
        header.records?.deallocate()
        if header.chunk >= 0 { arena.free(tags, inChunk: Int(header.chunk)) }
        (UnsafeMutableRawPointer(entries) - Self.prefixSize(capacity: capacity)).deallocate()
    }

    @usableFromInline
    func deinitializeEntries() {
        forEachSlot { (entries + $0).deinitialize(count: 1) }
    }

    // MARK: Searching

    @inlinable var isFull: Bool {
        SegmentSize.isFull(Int(truncatingIfNeeded: header.pointee.used), of: capacity)
    }

    /// `true` if so few slots are occupied that the others are worth releasing.
    @usableFromInline var isSparse: Bool {
        let header = header.pointee
        return header.count &* 8 < slotCount && (slotCount > 8 || header.depth > 0)
    }

    /// Returns the slot at which the search for an entry starts.
    ///
    /// The hash is scaled to the capacity (Lemire, "Fast Random Integer Generation in an Interval",
    /// 2019). The capacity need not be a power of two. The lower bits of the hash select the slot,
    /// because the entries of a segment share the highest ones.
    @inlinable @inline(__always)
    func homeSlot(of hash: UInt32) -> Int {
        let fraction = Int(truncatingIfNeeded: hash) & (1 &<< SlotTag.firstBit &- 1)
        return (fraction &* capacity) &>> SlotTag.firstBit
    }

    @inlinable @inline(__always)
    func slotAfter(_ slot: Int) -> Int { slot &+ 1 == capacity ? 0 : slot &+ 1 }

    @inlinable @inline(__always)
    func slotBefore(_ slot: Int) -> Int { slot == 0 ? capacity &- 1 : slot &- 1 }

    @inlinable @inline(__always)
    func slot(of id: Value.ID, hash: UInt32) -> Int? {
        let tag = SlotTag(hash: hash)
        let tags = tags
        var slot = homeSlot(of: hash)
        while true {
            let found = tags[slot]
            if found == tag, (entries + slot).pointee.id == id { return slot }
            if found == .empty { return nil }
            slot = slotAfter(slot)
        }
    }

    /// Returns the entry of an identifier, at an address that is valid as long as the caller holds
    /// the lock.
    @inlinable @inline(__always)
    func entry(id: Value.ID, hash: UInt32) -> Pointer? {
        slot(of: id, hash: hash).map { entries + $0 }
    }

    @inlinable @inline(__always)
    func id(ofSlot slot: Int) -> EntryID { EntryID(segment: number, slot: slot) }

    /// Returns the first slot for a new entry.
    @inlinable
    func freeSlot(for hash: UInt32) -> Int {
        assert(header.pointee.used < slotCount, "A segment must be replaced before it is full.")
        var slot = homeSlot(of: hash)
        while tags[slot].isOccupied { slot = slotAfter(slot) }
        return slot
    }

    // MARK: Changing

    /// Records that an entry has been initialized in a free slot.
    @inlinable @inline(__always)
    func occupy(_ slot: Int, hash: UInt32) {
        if tags[slot] == .empty { header.pointee.used &+= 1 }
        header.pointee.count &+= 1
        tags[slot] = SlotTag(hash: hash)
    }

    /// Marks the slot of a departing entry as vacated, or as empty if no search continues beyond
    /// it.
    @usableFromInline
    func vacate(_ slot: Int) {
        header.pointee.count -= 1
        tags[slot] = .vacated
        guard tags[slotAfter(slot)] == .empty else { return }
        var slot = slot
        while tags[slot] == .vacated {
            tags[slot] = .empty
            header.pointee.used -= 1
            slot = slotBefore(slot)
        }
    }

    /// Calls a closure with each occupied slot.
    @inlinable
    func forEachSlot(_ body: (Int) -> Void) {
        let tags = tags
        for slot in 0..<capacity where tags[slot].isOccupied { body(slot) }
    }

    /// Returns the freshness record of the newest value in a slot.
    @inlinable
    func record(of slot: Int) -> FreshnessRecord {
        header.pointee.records?[slot] ?? FreshnessRecord()
    }

    /// Returns the freshness record of the value in a slot as of a version.
    func record(of slot: Int, at version: UInt64) -> FreshnessRecord {
        (entries + slot).pointee.priorFreshness(at: version) ?? record(of: slot)
    }

    @usableFromInline
    func makeRecords() -> UnsafeMutablePointer<FreshnessRecord> {
        let records = UnsafeMutablePointer<FreshnessRecord>.allocate(capacity: capacity)
        records.initialize(repeating: FreshnessRecord(), count: capacity)
        return records
    }

    // MARK: Checking

    /// Returns whether every entry belongs to the stripe and the range, and probing finds it.
    ///
    /// Debug builds check this for each new segment, so that the check costs a constant time for
    /// each insertion.
    @usableFromInline
    func isInOrder(inStripe index: Int) -> Bool {
        var isInOrder = true
        var count = 0
        let range = header.pointee.range
        forEachSlot { slot in
            let hash = (entries + slot).pointee.hash
            var probed = homeSlot(of: hash)
            while probed != slot, tags[probed] != .empty { probed = slotAfter(probed) }
            isInOrder =
                isInOrder && probed == slot && Stripes.index(of: hash) == index
                && range.contains(hash) && tags[slot] == SlotTag(hash: hash)
            count += 1
        }
        let empty = (0..<capacity).count { tags[$0] == .empty }
        return isInOrder && Int(header.pointee.used) == capacity - empty && empty > 0
            && Int(header.pointee.count) == count && Int(header.pointee.slotCount) == capacity
    }
}

/// The data of a segment that a lookup doesn't need.
///
/// Written under both the writers' lock and the stripe's lock, so either suffices to read it.
@usableFromInline
struct SegmentHeader {
    /// The number that distinguishes the segment from all earlier ones of its table.
    @usableFromInline let serial: UInt64
    /// The freshness records, by slot, or `nil` if all of them are like new ones.
    @usableFromInline var records: UnsafeMutablePointer<FreshnessRecord>?
    @usableFromInline let tags: UnsafeMutablePointer<SlotTag>
    /// The lowest hash of the segment's range.
    @usableFromInline let start: UInt32
    @usableFromInline let slotCount: UInt32
    /// The number of slots that are occupied or vacated.
    @usableFromInline var used: UInt32 = 0
    /// The number of entries.
    @usableFromInline var count: UInt32 = 0
    /// The index of the arena's chunk that contains the tags, or a negative number.
    let chunk: Int32
    /// The number of highest bits that the hashes of the segment's range share.
    @usableFromInline let depth: UInt8
    /// `true` if the table examines at the end of the commit whether the segment is sparse.
    @usableFromInline var isListedAsSparse = false

    init(
        serial: UInt64,
        slotCount: UInt32,
        range: HashRange,
        tags: UnsafeMutablePointer<SlotTag>,
        chunk: Int?
    ) {
        self.serial = serial
        self.tags = tags
        self.chunk = chunk.map { Int32(truncatingIfNeeded: $0) } ?? -1
        self.slotCount = slotCount
        start = range.start
        depth = UInt8(truncatingIfNeeded: range.depth)
    }

    @inlinable var range: HashRange { HashRange(of: start, depth: Int(depth)) }

    /// The number of bytes before the entries.
    @inlinable static var byteCount: Int { 48 }
}

/// The state of a slot in a hash table, in a byte apart from the entry.
///
/// It contains seven bits of the entry's hash, with which a search skips nearly all other entries.
@usableFromInline
struct SlotTag: Equatable {
    @usableFromInline let bits: UInt8

    @inlinable @inline(__always)
    init(bits: UInt8) { self.bits = bits }

    @inlinable @inline(__always)
    init(hash: UInt32) {
        // The lower bits select the stripe and the slot, and the highest bits the segment.
        bits = 0x80 | UInt8(truncatingIfNeeded: hash &>> UInt32(Self.firstBit))
    }

    /// The number of hash bits that select the stripe and the slot.
    @inlinable static var firstBit: Int { 16 }

    /// The tag of a slot that ends a search.
    @inlinable static var empty: SlotTag { SlotTag(bits: 0) }
    /// The tag of a slot whose entry has left the table.
    @inlinable static var vacated: SlotTag { SlotTag(bits: 1) }

    @inlinable @inline(__always) var isOccupied: Bool { bits & 0x80 != 0 }
}
