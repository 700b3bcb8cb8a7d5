/// A reference to one part of a table, with a lock of its own.
///
/// Readers of different stripes don't contend. One cache line contains all data that a lookup
/// needs.
@usableFromInline
struct Stripe<Value: Identifiable & Sendable>: Equatable where Value.ID: Sendable {
    private typealias State = StripeState<Value>

    /// The address of the cache line, which contains the lock and then the state.
    ///
    /// The two aren't fields of one structure: for ThreadSanitizer, changing any field accesses the
    /// address of the whole structure, which would also be the lock's address. The lock comes
    /// first, because random reads took a third longer with the lock elsewhere (row 2b of
    /// Benchmarks): the processor could then do less ahead of time.
    @usableFromInline let line: UnsafeMutableRawPointer

    @inlinable @inline(__always)
    init(line: UnsafeMutableRawPointer) { self.line = line }

    @inlinable static var stateOffset: Int { 8 }

    @inlinable @inline(__always) var lock: UnsafeMutablePointer<Lock> {
        line.assumingMemoryBound(to: Lock.self)
    }

    @inlinable @inline(__always) var state: UnsafeMutablePointer<StripeState<Value>> {
        (line + Self.stateOffset).assumingMemoryBound(to: StripeState<Value>.self)
    }

    @inlinable @inline(__always)
    func acquire() { lock.pointee.acquire() }

    @inlinable @inline(__always)
    func release() { lock.pointee.release() }

    func initialize(with region: Region<Value>) {
        precondition(
            MemoryLayout<Lock>.size <= Self.stateOffset
                && Self.stateOffset + MemoryLayout<State>.size <= ProcessorCacheLine.size,
            "A stripe must fit into a cache line."
        )
        line.bindMemory(to: Lock.self, capacity: 1).initialize(to: Lock())
        (line + Self.stateOffset).bindMemory(to: State.self, capacity: 1)
            .initialize(to: State(region: region))
    }

    func deinitialize() {
        state.deinitialize(count: 1)
        lock.deinitialize(count: 1)
    }
}

/// The state that the lock of a stripe guards.
///
/// It is written under both the writers' lock and the stripe's lock, so either suffices to read it.
@usableFromInline
struct StripeState<Value: Identifiable & Sendable> where Value.ID: Sendable {
    /// The stripe's part of the hash table.
    @usableFromInline var region: Region<Value>
    /// The number of times that all entries have been moved.
    ///
    /// It fills the last four bytes of a word that the region leaves free.
    @usableFromInline var rebuilds: UInt32 = 0
    /// The number of times that an entry has left the region, or that all entries have been moved.
    ///
    /// While the number stays the same, so does the address of each entry.
    @usableFromInline var layoutGeneration: UInt64 = 0

    /// The base of the `EvictionMarks` in which readers record their reads, or `nil` if reads make
    /// no difference.
    @usableFromInline var marks: UnsafeMutableRawPointer?
    /// The base of the `FreshnessRecords`, or `nil` if values neither expire nor become stale.
    @usableFromInline var records: UnsafeMutablePointer<FreshnessRecord>?

    init(region: Region<Value>) { self.region = region }
}
