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
