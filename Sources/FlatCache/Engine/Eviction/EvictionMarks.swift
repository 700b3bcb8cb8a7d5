/// The marks of a segment's entries, which record whether an entry was read, and in which tick.
///
/// Each slot has a byte: one bit is set when the entry has been read, and six contain the tick of
/// the last access.
///
/// The stripe's lock guards the marks.
@usableFromInline
struct EvictionMarks {
    @usableFromInline let base: UnsafeMutableRawPointer
    /// The byte that marks an entry as read in the current tick.
    @usableFromInline let accessMark: UInt8

    @inlinable @inline(__always)
    init(base: UnsafeMutableRawPointer, accessMark: UInt8) {
        self.base = base
        self.accessMark = accessMark
    }

    @inlinable static var visitedBit: UInt8 { 1 }
    /// The number of ticks that the marks distinguish.
    static var tickCount: Int { 64 }

    /// Returns the byte that marks an entry as read in a tick.
    static func accessMark(inTick tick: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: tick % Self.tickCount) << 2 | Self.visitedBit
    }

    @inlinable @inline(__always)
    subscript(slot: Int) -> UInt8 {
        get { base.load(fromByteOffset: slot, as: UInt8.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: slot, as: UInt8.self) }
    }

    /// Returns the tick in which an entry was last read or written.
    func tick(of slot: Int) -> Int { Int(self[slot] >> 2) }

    /// Records a read of an entry.
    @inlinable @inline(__always)
    func recordAccess(_ slot: Int) { self[slot] = accessMark }

    /// Records a write to an existing entry.
    ///
    /// The write counts as a read in the tick before the current one, because the end of the
    /// current tick isn't known yet. The exact time of the write is stored separately.
    @inlinable @inline(__always)
    func recordStored(_ slot: Int) {
        self[slot] = accessMark &- 4
    }

    /// Records a new entry, which hasn't been read since it was added.
    @inlinable
    func recordArrival(_ slot: Int) {
        self[slot] = (accessMark &- 4) & ~Self.visitedBit
    }

    /// Returns whether an entry has been read since the last call.
    @inlinable
    func takeVisit(_ slot: Int) -> Bool {
        let mark = self[slot]
        self[slot] = mark & ~Self.visitedBit
        return mark & Self.visitedBit != 0
    }

    @inlinable
    func clear(_ slot: Int) { self[slot] = 0 }
}
