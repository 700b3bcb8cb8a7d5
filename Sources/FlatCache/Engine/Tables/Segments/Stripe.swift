/// A reference to one part of a table, with a lock of its own.
///
/// Readers of different stripes don't contend. A lookup needs one cache line, and one entry of the
/// stripe's directory.
@usableFromInline
struct Stripe<Value: Identifiable & Sendable>: Equatable where Value.ID: Sendable {
    private typealias State = StripeState<Value>

    /// The address of the cache line, which contains the lock, the state, and the directory if it
    /// has one segment only.
    ///
    /// They aren't fields of one structure: for ThreadSanitizer, changing any field accesses the
    /// address of the whole structure, which would also be the lock's address. The lock comes
    /// first, because random reads took a third longer with the lock elsewhere (row 2b of
    /// Benchmarks): the processor could then do less ahead of time.
    @usableFromInline let line: UnsafeMutableRawPointer

    @inlinable @inline(__always)
    init(line: UnsafeMutableRawPointer) { self.line = line }

    @inlinable static var stateOffset: Int { 8 }
    @inlinable static var ownDirectoryOffset: Int { 32 }

    @inlinable @inline(__always) var lock: UnsafeMutablePointer<Lock> {
        line.assumingMemoryBound(to: Lock.self)
    }

    @inlinable @inline(__always) var state: UnsafeMutablePointer<StripeState<Value>> {
        (line + Self.stateOffset).assumingMemoryBound(to: StripeState<Value>.self)
    }

    /// The directory for a single segment.
    @inlinable var ownDirectory: UnsafeMutablePointer<Segment<Value>> {
        (line + Self.ownDirectoryOffset).assumingMemoryBound(to: Segment<Value>.self)
    }

    @inlinable @inline(__always)
    func acquire() { lock.pointee.acquire() }

    @inlinable @inline(__always)
    func release() { lock.pointee.release() }

    /// Returns the marks of a segment, under the lock or the writers' lock.
    @inlinable @inline(__always)
    func marks(of segment: Segment<Value>) -> EvictionMarks {
        EvictionMarks(base: segment.marks, accessMark: state.pointee.accessMark)
    }

    func initialize(with segment: Segment<Value>) {
        precondition(
            MemoryLayout<Lock>.size <= Self.stateOffset
                && Self.stateOffset + MemoryLayout<State>.size <= Self.ownDirectoryOffset
                && Self.ownDirectoryOffset + MemoryLayout<Segment<Value>>.size
                    <= ProcessorCacheLine.size,
            "A stripe must fit into a cache line."
        )
        line.bindMemory(to: Lock.self, capacity: 1).initialize(to: Lock())
        (line + Self.ownDirectoryOffset).bindMemory(to: Segment<Value>.self, capacity: 1)
            .initialize(to: segment)
        (line + Self.stateOffset).bindMemory(to: State.self, capacity: 1)
            .initialize(to: State(directory: ownDirectory))
    }

    func deinitialize() {
        if state.pointee.directory != ownDirectory { state.pointee.directory.deallocate() }
        state.deinitialize(count: 1)
        lock.deinitialize(count: 1)
    }
}

/// The state that the lock of a stripe guards.
///
/// It is written under both the writers' lock and the stripe's lock, so either suffices to read it.
@usableFromInline
struct StripeState<Value: Identifiable & Sendable> where Value.ID: Sendable {
    /// The segments, by the highest bits of the hashes in their ranges.
    ///
    /// A segment whose range has a lower depth than the directory occurs several times in a row.
    /// The segments form an extendible hash table (Fagin et al., "Extendible Hashing: A Fast
    /// Access Method for Dynamic Files", 1979).
    @usableFromInline var directory: UnsafeMutablePointer<Segment<Value>>
    /// The number of times that an entry has left its segment, by removal or because it has moved.
    ///
    /// While the number stays the same, so does the address of each entry.
    @usableFromInline var layoutGeneration: UInt64 = 0
    /// The number of hash bits that don't select a segment.
    @usableFromInline var shift: UInt8 = 32
    /// A Boolean value that indicates whether readers record their reads in the marks.
    @usableFromInline var recordsReads = false
    /// A Boolean value that indicates whether the segments have freshness records.
    @usableFromInline var recordsFreshness = false
    /// The mark of an entry that is read in the current tick.
    @usableFromInline var accessMark = EvictionMarks.visitedBit

    init(directory: UnsafeMutablePointer<Segment<Value>>) { self.directory = directory }

    /// The number of highest hash bits that select a segment.
    @inlinable var depth: Int { 32 &- Int(shift) }

    /// Returns the segment for a hash.
    @inlinable @inline(__always)
    func segment(of hash: UInt32) -> Segment<Value> {
        directory[Int(truncatingIfNeeded: UInt64(hash) &>> UInt64(shift))]
    }
}
