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
