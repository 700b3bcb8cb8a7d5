/// The marks of the entries of a stripe: whether an entry was read, in which tick, and whether it's
/// stale.
///
/// Readers both set and check the marks. Each slot has a byte: one bit is set when the entry has
/// been read, one if it may be stale, and six contain the tick of the last access. If values
/// expire, two words for each slot follow: the time at which the entry last changed its state, and
/// the version as of which it became stale.
///
/// The stripe's lock guards the marks.
@usableFromInline
struct EvictionMarks {
    @usableFromInline let base: UnsafeMutableRawPointer
    /// The number of slots in the stripe.
    @usableFromInline let capacity: Int

    @inlinable @inline(__always)
    init(base: UnsafeMutableRawPointer, capacity: Int) {
        self.base = base
        self.capacity = capacity
    }

    @inlinable static var visitedBit: UInt8 { 1 }
    @inlinable static var staleBit: UInt8 { 2 }
    /// The number of ticks that the marks distinguish.
    static var tickCount: Int { 64 }

    @inlinable @inline(__always)
    subscript(slot: Int) -> UInt8 {
        get { base.load(fromByteOffset: slot, as: UInt8.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: slot, as: UInt8.self) }
    }

    /// The byte that marks an entry as read in the current tick, stored after the bytes of the
    /// slots.
    @inlinable @inline(__always) var accessMark: UInt8 { self[capacity] }

    /// Sets the current tick.
    func setTick(_ tick: Int) {
        self[capacity] = UInt8(truncatingIfNeeded: tick % Self.tickCount) << 2 | Self.visitedBit
    }

    /// Returns the tick in which an entry was last read or written.
    func tick(of slot: Int) -> Int { Int(self[slot] >> 2) }

    /// Records a read of an entry.
    @inlinable @inline(__always)
    func recordAccess(_ slot: Int) { self[slot] = self[slot] & Self.staleBit | accessMark }

    /// Records a write to an existing entry.
    ///
    /// The write counts as a read, but in the tick before the current one, whose end isn't known
    /// yet. The exact time of the write is stored separately.
    @inlinable @inline(__always)
    func recordStored(_ slot: Int) {
        self[slot] = self[slot] & Self.staleBit | (accessMark &- 4)
    }

    /// Records a new entry, which hasn't been read since it was added.
    @inlinable
    func recordArrival(_ slot: Int) {
        // The former value may be stale in an open snapshot, so the bit stays.
        self[slot] = self[slot] & Self.staleBit | (accessMark &- 4) & ~Self.visitedBit
    }

    /// Returns whether an entry has been read since the last call.
    @inlinable
    func takeVisit(_ slot: Int) -> Bool {
        let mark = self[slot]
        self[slot] = mark & ~Self.visitedBit
        return mark & Self.visitedBit != 0
    }

    func clear(_ slot: Int) { self[slot] = 0 }

    // MARK: Staleness

    static func byteCount(capacity: Int, expires: Bool) -> Int {
        wordOffset(capacity: capacity) + (expires ? 16 * capacity : 0)
    }

    @inlinable @inline(__always)
    static func wordOffset(capacity: Int) -> Int { (capacity + 2 + 7) & ~7 }

    /// A Boolean value that indicates whether values expire, stored in the byte after the current
    /// tick.
    @inlinable var expires: Bool {
        get { self[capacity + 1] != 0 }
        nonmutating set { self[capacity + 1] = newValue ? 1 : 0 }
    }

    /// Returns the offset of the time at which an entry last changed its state.
    ///
    /// The versions follow all of the times, so that the times, which each write sets, are close
    /// together.
    @inlinable @inline(__always)
    func offset(of slot: Int) -> Int {
        Self.wordOffset(capacity: capacity) + 8 * slot
    }

    private func versionOffset(of slot: Int) -> Int { offset(of: capacity + slot) }

    func staleVersion(of slot: Int) -> UInt64 {
        base.load(fromByteOffset: versionOffset(of: slot), as: UInt64.self)
    }

    /// Returns the time at which an entry was last stored or became stale, or `nil` if values don't
    /// expire.
    func since(of slot: Int) -> Time? {
        guard expires else { return nil }
        return Time(nanoseconds: base.load(fromByteOffset: offset(of: slot), as: Int64.self))
    }

    func markedTimes(of slot: Int) -> MarkedTimes {
        MarkedTimes(tick: tick(of: slot), since: since(of: slot))
    }

    @inlinable @inline(__always)
    func setSince(_ time: Time, of slot: Int) {
        base.storeBytes(of: time.nanoseconds, toByteOffset: offset(of: slot), as: Int64.self)
    }

    /// Makes the values of an entry stale that were stored before a version, as of that version.
    func setStale(_ slot: Int, at version: UInt64) {
        self[slot] |= Self.staleBit
        base.storeBytes(of: version, toByteOffset: versionOffset(of: slot), as: UInt64.self)
    }

    /// Returns whether a value of an entry is stale as of the version that is read.
    ///
    /// A value that is stored later is fresh without further action. If that write is rolled back,
    /// the former value is stale again.
    func isStale(_ slot: Int, stored version: UInt64, readAt readVersion: UInt64) -> Bool {
        guard mayBeStale(slot) else { return false }
        let staleVersion = staleVersion(of: slot)
        return version < staleVersion && staleVersion <= readVersion
    }

    @inlinable @inline(__always)
    func mayBeStale(_ slot: Int) -> Bool { self[slot] & Self.staleBit != 0 }

    /// Copies the marks of an entry that has moved from another slot.
    func copy(_ slot: Int, from other: EvictionMarks, _ otherSlot: Int) {
        self[slot] = other[otherSlot]
        guard expires else { return }
        if let since = other.since(of: otherSlot) { setSince(since, of: slot) }
        base.storeBytes(
            of: other.staleVersion(of: otherSlot),
            toByteOffset: versionOffset(of: slot),
            as: UInt64.self
        )
    }
}
