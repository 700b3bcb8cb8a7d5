/// What readers note of the entries of a stripe, and what they must know of them: whether they have
/// been read, when about, and whether they are stale.
///
/// A byte for each slot, in which one bit says that the entry has been read, one that it may be stale,
/// and six in which of some stretches of time it was read last. After the bytes, if values expire, two
/// words for each slot: the time of its last change of state, and the commit at which it became stale.
///
/// Guarded by the stripe's lock.
@usableFromInline
struct RetentionMarks {
    @usableFromInline let base: UnsafeMutableRawPointer
    /// How many slots the stripe has.
    @usableFromInline let capacity: Int

    @inlinable @inline(__always)
    init(base: UnsafeMutableRawPointer, capacity: Int) {
        self.base = base
        self.capacity = capacity
    }

    @inlinable static var visitedBit: UInt8 { 1 }
    @inlinable static var staleBit: UInt8 { 2 }
    /// How many stretches of time can be told apart.
    static var tickCount: Int { 64 }

    @inlinable @inline(__always)
    subscript(slot: Int) -> UInt8 {
        get { base.load(fromByteOffset: slot, as: UInt8.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: slot, as: UInt8.self) }
    }

    /// What the byte of an entry becomes when it is read: the one behind those of the slots.
    @inlinable @inline(__always) var accessMark: UInt8 { self[capacity] }

    /// Sets the current stretch of time.
    func setTick(_ tick: Int) {
        self[capacity] = UInt8(truncatingIfNeeded: tick % Self.tickCount) << 2 | Self.visitedBit
    }

    /// In which stretch of time an entry was read or written last.
    func tick(of slot: Int) -> Int { Int(self[slot] >> 2) }

    /// Notes that an entry is read.
    @inlinable @inline(__always)
    func noteAccess(_ slot: Int) { self[slot] = self[slot] & Self.staleBit | accessMark }

    /// Notes that an entry is stored again: it counts as read, but not in the current stretch of time, of
    /// which nobody knows yet how long it lasts; when it was stored is noted beside.
    @inlinable @inline(__always)
    func noteStored(_ slot: Int) {
        self[slot] = self[slot] & Self.staleBit | (accessMark &- 4)
    }

    /// Notes that an entry is new: it has not been read since it came.
    @inlinable
    func noteArrival(_ slot: Int) {
        // For a snapshot that is open, what was there before may have been stale.
        self[slot] = self[slot] & Self.staleBit | (accessMark &- 4) & ~Self.visitedBit
    }

    /// Returns whether an entry has been read since this was last asked.
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

    /// Whether values expire, which the byte behind that of the stretch of time tells.
    @inlinable var expires: Bool {
        get { self[capacity + 1] != 0 }
        nonmutating set { self[capacity + 1] = newValue ? 1 : 0 }
    }

    /// Where the time of an entry's last change of state is; the commits are behind all of those, so
    /// that the times, which each write sets, lie close together.
    @inlinable @inline(__always)
    func offset(of slot: Int) -> Int {
        Self.wordOffset(capacity: capacity) + 8 * slot
    }

    private func versionOffset(of slot: Int) -> Int { offset(of: capacity + slot) }

    func staleVersion(of slot: Int) -> UInt64 {
        base.load(fromByteOffset: versionOffset(of: slot), as: UInt64.self)
    }

    /// When an entry was last stored, or became stale; `nil` if values don't expire.
    func since(of slot: Int) -> Time? {
        expires ? base.load(fromByteOffset: offset(of: slot), as: Time.self) : nil
    }

    @inlinable @inline(__always)
    func setSince(_ time: Time, of slot: Int) {
        base.storeBytes(of: time, toByteOffset: offset(of: slot), as: Time.self)
    }

    /// Makes what is stored up to a commit stale from this on.
    func setStale(_ slot: Int, at version: UInt64) {
        self[slot] |= Self.staleBit
        base.storeBytes(of: version, toByteOffset: versionOffset(of: slot), as: UInt64.self)
    }

    /// Whether what a version of an entry holds has become stale as of a version that is read.
    ///
    /// What is stored later is fresh without anybody saying so, and what is taken back stale again.
    func isStale(_ slot: Int, stored version: UInt64, readAt readVersion: UInt64) -> Bool {
        guard mayBeStale(slot) else { return false }
        let staleVersion = staleVersion(of: slot)
        return version < staleVersion && staleVersion <= readVersion
    }

    @inlinable @inline(__always)
    func mayBeStale(_ slot: Int) -> Bool { self[slot] & Self.staleBit != 0 }

    /// Takes over what is known of an entry that has been in another slot.
    func copy(_ slot: Int, from other: RetentionMarks, _ otherSlot: Int) {
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

/// The memory of a table's marks and tickets, as large as its `EntryBlock`.
@usableFromInline
final class RetentionBlock: @unchecked Sendable {
    // The marks are guarded like the stripe that they are of, the tickets by the writers' lock.

    @usableFromInline let capacity: Int
    let expires: Bool
    @usableFromInline let memory: UnsafeMutableRawPointer
    @usableFromInline let bytesPerStripe: Int
    /// By slot.
    @usableFromInline let tickets: UnsafeMutablePointer<Ticket>

    init(capacity: Int, expires: Bool) {
        self.capacity = capacity
        self.expires = expires
        // A line of its own for each stripe's, since each has a lock of its own.
        let lines =
            RetentionMarks.byteCount(capacity: capacity, expires: expires) / CacheLine.size + 1
        bytesPerStripe = lines * CacheLine.size
        memory = .allocate(
            byteCount: Stripes.count * bytesPerStripe,
            alignment: CacheLine.size
        )
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: Stripes.count * bytesPerStripe)
        tickets = .allocate(capacity: Stripes.count * capacity)
        tickets.initialize(repeating: .none, count: Stripes.count * capacity)
        for index in 0..<Stripes.count {
            marks(ofStripe: index).setTick(0)
            marks(ofStripe: index).expires = expires
        }
    }

    deinit {
        memory.deallocate()
        tickets.deallocate()
    }

    @inlinable
    func marks(ofStripe index: Int) -> RetentionMarks {
        RetentionMarks(base: memory + index * bytesPerStripe, capacity: capacity)
    }

    /// The place of the entry in a slot of the block.
    @inlinable
    func place(of slot: UInt32) -> (stripe: Int, slot: Int) {
        let (stripe, slot) = Int(slot).quotientAndRemainder(dividingBy: capacity)
        return (stripe, slot)
    }
}
