/// One part of a table, with a lock of its own, so that readers of different parts don't meet: where
/// it is in memory.
///
/// It has all that a lookup needs in one line of the processor's cache.
@usableFromInline
struct Stripe<Value: Identifiable & Sendable>: Equatable where Value.ID: Sendable {
    private typealias State = StripeState<Value>

    /// The beginning of the line: the lock, and after it the state.
    ///
    /// They are not one structure: to ThreadSanitizer, changing any field accesses the address of the
    /// whole, which would be that of the lock too. And a lock elsewhere than at the beginning made
    /// reading at random a third slower (row 2b of Benchmarks), for what a processor can do ahead.
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
                && Self.stateOffset + MemoryLayout<State>.size <= CacheLine.size,
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

/// What the lock of a stripe guards.
///
/// Written under both the writers' lock and the stripe's, so either is enough to read it.
@usableFromInline
struct StripeState<Value: Identifiable & Sendable> where Value.ID: Sendable {
    /// The stripe's part of the hash table.
    @usableFromInline var region: Region<Value>
    /// How many times an entry has left the region, or all of them have been moved.
    ///
    /// While this stays the same, so does the place of each entry.
    @usableFromInline var departures: UInt64 = 0
    /// How many times all of them have been moved.
    @usableFromInline var rebuilds: UInt64 = 0

    /// Where readers note what they read, if the table has limits: the base of `RetentionMarks`.
    @usableFromInline var marks: UnsafeMutableRawPointer?

    init(region: Region<Value>) { self.region = region }
}
