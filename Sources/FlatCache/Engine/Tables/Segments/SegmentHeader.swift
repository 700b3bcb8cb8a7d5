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
    /// The number of slots.
    @usableFromInline let slotCount: UInt32
    /// The number of slots that are occupied or vacated.
    @usableFromInline var used: UInt32 = 0
    /// The number of entries.
    @usableFromInline var count: UInt32 = 0
    /// The index of the arena's chunk that contains the tags, or a negative number.
    let chunk: Int32
    /// The number of highest bits that the hashes of the segment's range share.
    @usableFromInline let depth: UInt8
    /// A Boolean value that indicates whether the table examines at the end of the commit whether
    /// the segment is sparse.
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
