/// The values of one identifier: the newest one, and older ones that a reader may still need.
///
/// The newest value may belong to a commit that isn't visible yet. A reader takes the newest value
/// whose version isn't above the version that it reads. So a commit of any size becomes visible at
/// the instant when the visible version changes, and a commit that is rolled back is never seen.
///
/// This is multiversion concurrency control as in Bernstein and Goodman, "Multiversion Concurrency
/// Control: Theory and Algorithms" (1983), with a single writer at a time.
///
/// The type isn't copyable, because reading one field through a pointer must not copy the others.
@usableFromInline
struct Entry<Value: Identifiable & Sendable>: ~Copyable where Value.ID: Sendable {
    /// The first field, which has the same place in the entries of all types.
    @usableFromInline var header: EntryHeader

    // The fields below are written under both the writers' lock and the stripe's lock, so either is
    // enough to read them.

    /// The version of the commit that wrote `value`.
    @usableFromInline var version: UInt64
    /// The prior versions that a reader may still need, newest first.
    ///
    /// Invalid if `version` isn't above the table's `reclaimedVersion`: then no reader needs any,
    /// and they have been released.
    @usableFromInline var prior: PriorVersion<Value>.Pointer?
    @usableFromInline let id: Value.ID
    /// The newest value, or `nil` if it was removed or hasn't been stored yet.
    @usableFromInline var value: Value?

    @inlinable
    init(
        id: Value.ID,
        hash: UInt32,
        node: WatchNodeID = .none,
        version: UInt64,
        value: Value?
    ) {
        header = EntryHeader(hash: hash, node: node)
        self.id = id
        self.version = version
        self.value = value
    }

    @inlinable var hash: UInt32 { header.hash }

    @inlinable var node: WatchNodeID { header.node }

    @usableFromInline
    func copy() -> Entry {
        var copy = Entry(id: id, hash: hash, node: node, version: version, value: value)
        copy.prior = prior
        return copy
    }

    @inlinable @inline(__always)
    func value(at readVersion: UInt64) -> Value? {
        version <= readVersion ? value : priorValue(at: readVersion)
    }

    /// Returns the version of the commit that wrote the value as of a version, or `nil` if there's
    /// no value.
    @usableFromInline
    func storedVersion(at readVersion: UInt64) -> UInt64? {
        if version <= readVersion { return value == nil ? nil : version }
        guard let prior = priorVersion(at: readVersion) else { return nil }
        return prior.pointee.value == nil ? nil : prior.pointee.version
    }

    /// Returns the freshness record of the value as of a version below the newest value's version,
    /// or `nil` for the newest value.
    @usableFromInline
    func priorFreshness(at readVersion: UInt64) -> FreshnessRecord? {
        version <= readVersion ? nil : priorVersion(at: readVersion)?.pointee.freshness
    }

    /// Returns the value as of a version below the newest value's version.
    @usableFromInline
    func priorValue(at readVersion: UInt64) -> Value? {
        priorVersion(at: readVersion)?.pointee.value
    }

    private func priorVersion(at readVersion: UInt64) -> PriorVersion<Value>.Pointer? {
        var candidate = prior
        while let current = candidate {
            if current.pointee.version <= readVersion { return current }
            candidate = current.pointee.older
        }
        return nil
    }
}

/// The beginning of an entry, readable by code that isn't compiled for the entry's type.
@usableFromInline
struct EntryHeader {
    @usableFromInline let hash: UInt32
    /// The entry's node in the watch graph, or `.none` if the entity isn't watched.
    ///
    /// Guarded by the writers' lock.
    @usableFromInline var node: WatchNodeID

    @inlinable
    init(hash: UInt32, node: WatchNodeID) {
        self.hash = hash
        self.node = node
    }
}

/// The identifier of an entry in a table: the number of its segment, and its slot there.
///
/// Valid under the writers' lock, until the entry moves to another segment. Then the table renames
/// the entry in its own collections, in the limits and in the watch graph.
@usableFromInline
struct EntryID: Hashable, Sendable {
    @usableFromInline let segment: UInt32
    @usableFromInline let slot: UInt32

    @inlinable @inline(__always)
    init(segment: UInt32, slot: Int) {
        self.segment = segment
        self.slot = UInt32(truncatingIfNeeded: slot)
    }
}

/// The entries of a segment as memory.
///
/// Code that isn't compiled for the type of the entries reads and moves them much faster this way,
/// since it looks up the size of an entry once.
struct EntryMemory {
    private let start: UnsafeMutableRawPointer
    private let stride: Int

    init<Value>(_ segment: Segment<Value>) {
        start = UnsafeMutableRawPointer(segment.entries)
        stride = MemoryLayout<Entry<Value>>.stride
    }

    /// Returns the header of the entry in a slot, at which each entry begins.
    func header(ofSlot slot: Int) -> EntryHeader {
        (start + slot &* stride).assumingMemoryBound(to: EntryHeader.self).pointee
    }

    /// Copies the bytes of an entry to a slot of another segment.
    func copy<Value>(_ slot: Int, to newSlot: Int, of segment: Segment<Value>) {
        (UnsafeMutableRawPointer(segment.entries) + newSlot &* stride)
            .copyMemory(from: start + slot &* stride, byteCount: stride)
    }
}
