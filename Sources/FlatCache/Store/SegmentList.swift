/// The segments of a table, by their numbers.
///
/// Guarded by the writers' lock, except the memory of the segments: it's guarded like their stripe.
@usableFromInline
final class SegmentList<Value: Identifiable & Sendable>: @unchecked Sendable
where Value.ID: Sendable {
    /// The entries of each segment, by number, or `nil` if the number is free.
    ///
    /// The lowest bits of a number are the index of the stripe.
    @exclusivity(unchecked) @usableFromInline
    private(set) var memory: UnsafeMutablePointer<Segment<Value>.Pointer?>
    /// The number of numbers, free or not.
    @exclusivity(unchecked) private var numberCount = 0
    /// The number of numbers for which `memory` has room.
    @exclusivity(unchecked) private var capacity = Stripes.count
    @exclusivity(unchecked) private var arena = TagArena()
    /// The free numbers of each stripe.
    @exclusivity(unchecked)
    private var freeNumbers = [[UInt32]](repeating: [], count: Stripes.count)
    /// The number of segments that the table has created so far.
    ///
    /// As long as it doesn't change, neither does the identifier of each entry.
    @exclusivity(unchecked) @usableFromInline private(set) var createdCount: UInt64 = 0

    /// The new identifiers of the entries of previous segments, by slot, for the pending entries
    /// that still have their previous ones.
    @exclusivity(unchecked) private var forwarding: [UInt32: [EntryID]] = [:]
    /// `true` if pending entries may have previous identifiers.
    @exclusivity(unchecked) @usableFromInline private(set) var isForwarding = false

    /// Creates a list without segments.
    ///
    /// - Parameter createdCount: The number of segments that an earlier list of the same table has
    ///   created, so that no segment of this list has the serial number of an earlier one.
    init(after createdCount: UInt64 = 0) {
        memory = .allocate(capacity: capacity)
        self.createdCount = createdCount
    }

    var count: Int { (0..<numberCount).count { memory[$0] != nil } }

    deinit {
        for number in 0..<numberCount {
            guard let segment = segment(numbered: UInt32(number)) else { continue }
            segment.deinitializeEntries()
            segment.deallocate(in: &arena)
        }
        memory.deallocate()
    }

    @inlinable @inline(__always)
    subscript(entry: EntryID) -> Segment<Value>.Pointer {
        memory[Int(entry.segment)].unsafelyUnwrapped + Int(entry.slot)
    }

    @inlinable
    func segment(of entry: EntryID) -> Segment<Value> {
        let entries = memory[Int(entry.segment)].unsafelyUnwrapped
        let header = Segment<Value>.header(before: entries)
        return Segment(
            entries: entries,
            tags: header.pointee.tags,
            slotCount: header.pointee.slotCount,
            number: entry.segment
        )
    }

    @usableFromInline
    func segment(numbered number: UInt32) -> Segment<Value>? {
        memory[Int(number)] == nil ? nil : segment(of: EntryID(segment: number, slot: 0))
    }

    @usableFromInline
    func create(capacity: Int, _ range: HashRange, inStripe stripe: Int) -> Segment<Value> {
        createdCount += 1
        if freeNumbers[stripe].isEmpty { addNumbers() }
        let number = freeNumbers[stripe].removeLast()
        let segment = Segment<Value>.allocate(
            capacity: capacity,
            number: number,
            serial: createdCount,
            range,
            in: &arena
        )
        memory[Int(number)] = segment.entries
        return segment
    }

    /// Adds a free number for each stripe.
    private func addNumbers() {
        if numberCount == capacity {
            let old = memory
            memory = .allocate(capacity: 2 * capacity)
            memory.moveInitialize(from: old, count: numberCount)
            old.deallocate()
            capacity *= 2
        }
        for stripe in 0..<Stripes.count {
            freeNumbers[stripe].append(UInt32(numberCount))
            (memory + numberCount).initialize(to: nil)
            numberCount += 1
        }
    }

    /// Frees a segment that readers can no longer reach, and in which no entry is left.
    ///
    /// - Parameters:
    ///   - segment: The segment.
    ///   - places: The new identifiers of the entries, or an empty array if no pending entry has
    ///     moved.
    @usableFromInline
    func remove(_ segment: Segment<Value>, movedTo places: [EntryID]) {
        memory[Int(segment.number)] = nil
        segment.deallocate(in: &arena)
        if places.isEmpty {
            freeNumbers[Int(segment.number) % Stripes.count].append(segment.number)
        } else {
            forwarding[segment.number] = places
            isForwarding = true
        }
    }

    // MARK: Pending entries

    /// Returns the present identifier of a pending entry.
    @inlinable @inline(__always)
    func current(_ entry: EntryID) -> EntryID {
        isForwarding ? forwarded(entry) : entry
    }

    @usableFromInline
    func forwarded(_ entry: EntryID) -> EntryID {
        var entry = entry
        while memory[Int(entry.segment)] == nil, let places = forwarding[entry.segment] {
            entry = places[Int(entry.slot)]
        }
        return entry
    }

    /// Forgets the previous identifiers.
    ///
    /// Pending entries no longer have them.
    @usableFromInline
    func endForwarding() {
        guard isForwarding else { return }
        isForwarding = false
        for number in forwarding.keys {
            freeNumbers[Int(number) % Stripes.count].append(number)
        }
        forwarding = [:]
    }
}

/// The hashes of a stripe that share a number of their highest bits.
///
/// Each segment contains the entries of one range. A plain value.
@usableFromInline
struct HashRange: Equatable {
    /// The lowest hash of the range.
    @usableFromInline let start: UInt32
    /// The number of highest bits that the hashes share.
    @usableFromInline let depth: Int

    @inlinable
    init(of hash: UInt32, depth: Int) {
        start = UInt32(
            truncatingIfNeeded: (UInt64(hash) &>> UInt64(32 - depth)) &<< UInt64(32 - depth)
        )
        self.depth = depth
    }

    @inlinable static var all: HashRange { HashRange(of: 0, depth: 0) }

    /// The number of highest bits of a hash that can select a segment.
    ///
    /// The other bits select the stripe.
    @inlinable static var maximumDepth: Int { 32 - Stripes.bits }

    /// The first position after the hashes of the range.
    @inlinable var end: UInt64 { UInt64(start) &+ (1 &<< UInt64(32 - depth)) }

    @inlinable
    func contains(_ hash: UInt32) -> Bool { HashRange(of: hash, depth: depth) == self }

    /// The range that contains this one and its buddy, if the depth isn't zero.
    var parent: HashRange { HashRange(of: start, depth: depth - 1) }

    /// The other half of the parent.
    var buddy: HashRange { HashRange(of: start ^ (1 << UInt32(32 - depth)), depth: depth) }

    /// Returns the index of the part that contains a hash, if the range is divided evenly.
    ///
    /// - Parameters:
    ///   - hash: A hash of the range.
    ///   - bits: The binary logarithm of the number of parts.
    @inlinable @inline(__always)
    func part(of hash: UInt32, bits: Int) -> Int {
        Int(truncatingIfNeeded: UInt64(hash &- start) &>> UInt64(32 - depth - bits))
    }

    /// Returns one of the parts into which the range can be divided evenly.
    @inlinable
    func part(at index: Int, bits: Int) -> HashRange {
        let offset = UInt32(truncatingIfNeeded: UInt64(index) &<< UInt64(32 - depth - bits))
        return HashRange(of: start | offset, depth: depth + bits)
    }
}

/// The rules for the number of slots of a segment, and for the division of a full one.
///
/// A plain value. The tests of tables choose a small size, so that few entries suffice for all
/// states.
@usableFromInline
struct SegmentSize: Sendable, Equatable {
    /// The number of slots of the largest segments, except those whose entries have equal hashes.
    ///
    /// It limits the time for which a write moves entries.
    @usableFromInline let maximumCapacity: Int

    init(maximumCapacity: Int) { self.maximumCapacity = maximumCapacity }

    /// The number of slots of the smallest segments.
    static var minimumCapacity: Int { 2 }

    /// Returns the size for entries with a number of bytes.
    @usableFromInline
    func limited(toEntriesOf byteCount: Int) -> SegmentSize {
        let fitting = Self.maximumByteCount / max(byteCount, 1)
        return SegmentSize(maximumCapacity: min(maximumCapacity, max(4, fitting)))
    }

    /// The number of slots of the largest segments of small entries.
    static var standard: SegmentSize { SegmentSize(maximumCapacity: 2_048) }

    /// The number of bytes of the largest segments with more than a few slots.
    private static var maximumByteCount: Int { 1 << 20 }

    /// Returns the number of slots for a number of entries.
    ///
    /// Half as many entries again fit, or somewhat more than the expected number, since hashes
    /// distribute entries unevenly.
    ///
    /// - Parameters:
    ///   - count: The number of present entries.
    ///   - expectedCount: The expected number of entries, or zero.
    @usableFromInline
    func capacity(for count: Int, expecting expectedCount: Int = 0) -> Int {
        let expected = Double(expectedCount)
        let maximumExpected = Int(expected + 4 * expected.squareRoot())
        let wanted = max(Self.minimumCapacity, count * 2 + 1, maximumExpected * 4 / 3 + 2)
        if wanted >= maximumCapacity, !Self.isFull(count, of: maximumCapacity) {
            return maximumCapacity
        }
        // With 16 sizes between two powers of two, the memory of a previous segment can often be
        // used for a new one.
        let step = 1 << max(Int.bitWidth - wanted.leadingZeroBitCount - 5, 0)
        return (wanted + step - 1) & ~(step - 1)
    }

    /// Returns whether a number of used slots leaves no room for another entry.
    ///
    /// From three quarters of the capacity on, probe sequences would be too long. At least one
    /// empty slot must remain to end them.
    @inlinable @inline(__always)
    static func isFull(_ used: Int, of capacity: Int) -> Bool {
        used &* 4 >= capacity &* 3 || used &+ 1 >= capacity
    }

    /// Returns the binary logarithm of the number of segments for a number of entries.
    ///
    /// With more than five eighths of the slots occupied, a new segment would soon be full.
    func partBits(for count: Int) -> Int {
        var bits = 0
        while count >> bits * 8 > maximumCapacity * 5 { bits += 1 }
        return bits
    }

    /// Returns the maximum depth of a stripe with a number of entries.
    ///
    /// Evenly distributed hashes need a third of it. If many hashes are equal, a segment grows
    /// beyond its largest size instead.
    func maximumDepth(for count: Int) -> Int {
        let segments = max(8, count / maximumCapacity * 16)
        return min(Int.bitWidth - 1 - segments.leadingZeroBitCount, HashRange.maximumDepth)
    }

    /// Returns whether the entries of two segments fit into one, with room for as many again.
    func canJoin(_ count: Int) -> Bool { count <= maximumCapacity / 4 }
}
