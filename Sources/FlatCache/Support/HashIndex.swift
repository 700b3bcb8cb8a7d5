/// The positions of elements in a list, by the hashes of the elements' keys.
///
/// It stores a part of each hash and the position, not the key. So a slot takes eight bytes instead
/// of the size of a key, and most searches compare one key.
///
/// The index grows and shrinks in small steps, by extendible hashing (Fagin et al., "Extendible
/// Hashing: A Fast Access Method for Dynamic Files", 1979): each `HashSegment` contains the hashes
/// that begin with the same bits, a full segment is divided into two by the next bit, and two
/// sparse ones are joined. A plain value without locks or callbacks.
@usableFromInline
struct HashIndex: Sendable {
    /// The numbers of the segments, by the first `depth` bits of the hashes.
    ///
    /// An empty index has an empty directory.
    private var directory: [Int32] = []
    private var depth = 0
    private var segments: [HashSegment] = []
    /// The unused places in `segments`.
    private var freeSegments: [Int32] = []
    private(set) var count = 0
    /// The number of slots at which a full segment is divided instead of enlarged, a power of two.
    private let slotsPerSegment: Int

    /// Creates an empty index.
    ///
    /// - Parameter chunkSize: The maximum size of a segment in bytes; a segment has at least four
    ///   slots.
    init(chunkSize: Int = GrowthStep.chunkSize) {
        // A segment is smaller than a chunk, since its hashes are moved one by one.
        let slots = chunkSize / MemoryLayout<HashSegment.Slot>.stride / 4
        slotsPerSegment = max(
            HashSegment.minimumSlotCount,
            slots == 0 ? 0 : 1 << (Int.bitWidth - 1 - slots.leadingZeroBitCount)
        )
    }

    @usableFromInline
    func position(withHash hash: UInt32, where isMatch: (Int32) -> Bool) -> Int32? {
        if count == 0 { return nil }
        return segments[segment(of: hash)].position(withHash: hash, where: isMatch)
    }

    /// Adds a position that isn't in the index.
    mutating func insert(_ position: Int32, hash: UInt32) {
        if count == 0 { (directory, segments) = ([0], [HashSegment()]) }
        makeRoom(for: hash)
        segments[segment(of: hash)].insert(position, hash: hash)
        count += 1
    }

    /// Removes a position that is in the index.
    mutating func remove(_ position: Int32, hash: UInt32) {
        let number = segment(of: hash)
        segments[number].remove(position, hash: hash)
        count -= 1
        if count == 0 { return removeAll() }
        if segments[number].count * 8 <= slotsPerSegment { joinIfSparse(number, hash: hash) }
    }

    /// Replaces a position that is in the index by another one.
    mutating func replace(_ position: Int32, by newPosition: Int32, hash: UInt32) {
        segments[segment(of: hash)].replace(position, by: newPosition, hash: hash)
    }

    /// Removes all positions and frees the memory.
    mutating func removeAll() {
        directory = []
        depth = 0
        segments = []
        freeSegments = []
        count = 0
    }

    // MARK: Segments

    private func segment(of hash: UInt32) -> Int { Int(directory[Int(prefix(of: hash, depth))]) }

    private func prefix(of hash: UInt32, _ depth: Int) -> UInt32 {
        // A shift by all 32 bits results in zero.
        hash >> UInt32(UInt32.bitWidth - depth)
    }

    /// The range of directory entries whose prefixes begin with the first bits of a hash.
    private func entries(of hash: UInt32, _ segmentDepth: Int) -> Range<Int> {
        let length = 1 << (depth - segmentDepth)
        let start = Int(prefix(of: hash, segmentDepth)) * length
        return start..<(start + length)
    }

    private mutating func makeRoom(for hash: UInt32) {
        while true {
            let number = segment(of: hash)
            guard segments[number].isFull else { return }
            let mustDivide = segments[number].slotCount >= slotsPerSegment
            guard mustDivide, divide(number, hash: hash) else {
                return segments[number].resize(to: segments[number].slotCount * 2)
            }
        }
    }

    /// Divides a segment by the next bit of its hashes; returns `false` if that doesn't help.
    ///
    /// Equal hashes can't be divided, so their segment grows as a whole.
    private mutating func divide(_ number: Int, hash: UInt32) -> Bool {
        let segmentDepth = segments[number].depth
        if segmentDepth == depth {
            // A cluster of similar hashes must not make the directory large.
            let limit = 64 * count / slotsPerSegment
            guard depth < UInt32.bitWidth, 2 << depth <= max(limit, 2) else { return false }
            directory = directory.flatMap { [$0, $0] }
            depth += 1
        }
        let bit = UInt32(1) << UInt32(UInt32.bitWidth - 1 - segmentDepth)
        guard let upper = segments[number].takeHashes(with: bit, slotCount: slotsPerSegment) else {
            return false
        }
        let upperNumber: Int
        if let free = freeSegments.popLast() {
            upperNumber = Int(free)
            segments[upperNumber] = upper
        } else {
            upperNumber = segments.count
            segments.append(upper)
        }
        for entry in entries(of: hash | bit, segmentDepth + 1) {
            directory[entry] = Int32(upperNumber)
        }
        return true
    }

    /// Joins a segment with the other half of the segment from which it was divided, if both are
    /// sparse.
    private mutating func joinIfSparse(_ number: Int, hash: UInt32) {
        let segmentDepth = segments[number].depth
        guard segmentDepth > 0 else { return }
        let bit = UInt32(1) << UInt32(UInt32.bitWidth - segmentDepth)
        let other = segment(of: hash ^ bit)
        guard segments[other].depth == segmentDepth,
            segments[number].count + segments[other].count <= slotsPerSegment / 4
        else { return }
        segments[number].add(segments[other], slotCount: slotsPerSegment)
        segments[other] = HashSegment()
        freeSegments.append(Int32(other))
        for entry in entries(of: hash, segmentDepth - 1) { directory[entry] = Int32(number) }
    }
}

// MARK: Invariants

extension HashIndex {
    /// The number of segments in use, for tests.
    var segmentCount: Int { segments.count - freeSegments.count }

    /// The number of entries of the directory, for tests.
    var directoryCount: Int { directory.count }

    /// The number of slots of the largest segment, for tests.
    var largestSlotCount: Int { segments.lazy.map(\.slotCount).max() ?? 0 }

    /// Traps unless the directory leads to each segment, and each segment has the hashes that
    /// belong there; for tests.
    func checkInvariants() {
        if count == 0 { return precondition(directory.isEmpty && segments.isEmpty) }
        precondition(directory.count == 1 << depth, "The directory must have all prefixes.")
        precondition(
            Set(directory).count == segmentCount,
            "Each segment must be free or in the directory."
        )
        for (prefix, number) in directory.enumerated() {
            let segment = segments[Int(number)]
            precondition(segment.depth <= depth, "A segment's bits must be in the directory.")
            segment.checkInvariants { hash in self.segment(of: hash) == Int(number) }
            let first = prefix & ~((1 << (depth - segment.depth)) - 1)
            precondition(directory[first] == number, "A segment must have a range of prefixes.")
        }
        precondition(
            segments.reduce(0) { $0 + $1.count } == count,
            "The count must be the number of positions."
        )
    }
}

/// A part of a ``HashIndex``: a hash table with open addressing and linear probing.
struct HashSegment {
    struct Slot {
        var hash: UInt32
        var position: Int32

        var isEmpty: Bool { position < 0 }

        static var empty: Slot { Slot(hash: 0, position: -1) }
    }

    static var minimumSlotCount: Int { 4 }

    /// The slots, a power of two of them, of which at least a quarter is empty.
    private var slots = [Slot](repeating: .empty, count: HashSegment.minimumSlotCount)
    private(set) var count = 0
    /// The number of first bits that all hashes in the segment have in common.
    private(set) var depth = 0

    var slotCount: Int { slots.count }

    var isFull: Bool { count >= slots.count / 4 * 3 }

    func position(withHash hash: UInt32, where isMatch: (Int32) -> Bool) -> Int32? {
        var slot = home(of: hash)
        while !slots[slot].isEmpty {
            if slots[slot].hash == hash, isMatch(slots[slot].position) {
                return slots[slot].position
            }
            slot = next(after: slot)
        }
        return nil
    }

    /// Adds a position that isn't in the segment; the segment must have room.
    mutating func insert(_ position: Int32, hash: UInt32) {
        enter(Slot(hash: hash, position: position))
        count += 1
    }

    /// Removes a position that is in the segment.
    mutating func remove(_ position: Int32, hash: UInt32) {
        var gap = slot(of: position, hash: hash)
        // Later slots of the same run move up, unless they would move in front of their home.
        var slot = next(after: gap)
        while !slots[slot].isEmpty {
            let distance = (slot &- home(of: slots[slot].hash)) & (slots.count - 1)
            if distance >= (slot &- gap) & (slots.count - 1) {
                slots[gap] = slots[slot]
                gap = slot
            }
            slot = next(after: slot)
        }
        slots[gap] = .empty
        count -= 1
    }

    /// Replaces a position that is in the segment.
    mutating func replace(_ position: Int32, by newPosition: Int32, hash: UInt32) {
        slots[slot(of: position, hash: hash)].position = newPosition
    }

    mutating func resize(to slotCount: Int) {
        let old = slots
        slots = Array(repeating: .empty, count: slotCount)
        for slot in old where !slot.isEmpty { enter(slot) }
    }

    /// Moves the hashes in which a bit is set into a new segment, or returns `nil` if the bit is
    /// set in all hashes or in none.
    ///
    /// - Parameters:
    ///   - bit: The first bit in which hashes of the segment can differ.
    ///   - slotCount: The least number of slots of both segments.
    mutating func takeHashes(with bit: UInt32, slotCount: Int) -> HashSegment? {
        let upperCount = slots.count { !$0.isEmpty && $0.hash & bit != 0 }
        guard upperCount > 0, upperCount < count else { return nil }
        var upper = HashSegment(slotCount: Self.slotCount(for: upperCount, atLeast: slotCount))
        let old = slots
        slots = Array(
            repeating: .empty,
            count: Self.slotCount(for: count - upperCount, atLeast: slotCount)
        )
        for slot in old where !slot.isEmpty {
            if slot.hash & bit == 0 { enter(slot) } else { upper.enter(slot) }
        }
        count -= upperCount
        upper.count = upperCount
        depth += 1
        upper.depth = depth
        return upper
    }

    /// Adds the hashes of the segment whose common bits differ only in the last one.
    mutating func add(_ other: HashSegment, slotCount: Int) {
        resize(to: slotCount)
        for slot in other.slots where !slot.isEmpty { enter(slot) }
        count += other.count
        depth -= 1
    }

    init() {}

    private init(slotCount: Int) { slots = Array(repeating: .empty, count: slotCount) }

    /// Returns the least number of slots that hold some hashes and have room for one more.
    private static func slotCount(for count: Int, atLeast least: Int) -> Int {
        var slotCount = least
        while count >= slotCount / 4 * 3 { slotCount *= 2 }
        return slotCount
    }

    private mutating func enter(_ entered: Slot) {
        var slot = home(of: entered.hash)
        while !slots[slot].isEmpty { slot = next(after: slot) }
        slots[slot] = entered
    }

    private func slot(of position: Int32, hash: UInt32) -> Int {
        var slot = home(of: hash)
        while slots[slot].position != position { slot = next(after: slot) }
        return slot
    }

    // The last bits of the hash determine the slot, since all hashes of the segment share the first
    // ones.
    private func home(of hash: UInt32) -> Int { Int(hash) & (slots.count - 1) }

    private func next(after slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

    /// Traps unless each hash belongs to the segment and can be found; for tests.
    func checkInvariants(belongs: (UInt32) -> Bool) {
        precondition(slots.count { !$0.isEmpty } == count, "The count must be that of the slots.")
        precondition(count <= slots.count / 4 * 3, "A quarter of the slots must be empty.")
        for slot in slots where !slot.isEmpty {
            precondition(belongs(slot.hash), "A hash must be in the segment of its first bits.")
            let found = position(withHash: slot.hash) { $0 == slot.position }
            precondition(found == slot.position, "Probing must find each position.")
        }
    }
}
