/// A reference to one part of a table, with its own lock.
///
/// Readers of different stripes don't contend. A lookup needs one cache line, and one entry of the
/// stripe's directory.
@usableFromInline
struct Stripe<Value: Identifiable & Sendable>: Equatable where Value.ID: Sendable {
    private typealias State = StripeState<Value>

    /// The address of the cache line that contains the lock, the state, and the directory if it has
    /// one segment only.
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
    /// As long as the number doesn't change, neither does the address of each entry.
    @usableFromInline var layoutGeneration: UInt64 = 0
    /// The number of hash bits that don't select a segment.
    @usableFromInline var shift: UInt8 = 32
    /// `true` if readers record their reads in the marks.
    @usableFromInline var recordsReads = false
    /// `true` if the segments have freshness records.
    @usableFromInline var recordsFreshness = false
    /// The mark of an entry that is read in the current tick.
    @usableFromInline var accessMark = EvictionMarks.visitedBit

    init(directory: UnsafeMutablePointer<Segment<Value>>) { self.directory = directory }

    /// The number of highest hash bits that select a segment.
    @inlinable var depth: Int { 32 &- Int(shift) }

    @inlinable @inline(__always)
    func segment(of hash: UInt32) -> Segment<Value> {
        directory[Int(truncatingIfNeeded: UInt64(hash) &>> UInt64(shift))]
    }
}

@usableFromInline
enum Stripes {
    /// The number of low bits of an identifier's hash that select the stripe.
    @inlinable static var bits: Int { 5 }
    @inlinable static var count: Int { 1 << bits }

    @inlinable @inline(__always)
    static func index(of hash: UInt32) -> Int { Int(truncatingIfNeeded: hash) & (count &- 1) }
}

// The directory of a stripe. The writer changes it under both locks.
extension Stripe {
    /// Makes readers use new segments for a range of hashes.
    ///
    /// - Parameters:
    ///   - range: The range.
    ///   - segments: The segments, whose ranges are equal parts of the range.
    ///   - bits: The binary logarithm of their number.
    @usableFromInline
    func replaceSegments(in range: HashRange, by segments: [Segment<Value>], bits: Int) {
        let old = state.pointee
        let depth = range.depth + bits
        if depth <= old.depth {
            acquire()
            enter(segments, in: range, bits: bits, state.pointee.directory, depth: old.depth)
            state.pointee.layoutGeneration &+= 1
            release()
            return
        }
        let directory = allocateDirectory(depth: depth)
        for index in 0..<1 << depth {
            directory[index] = old.directory[index >> (depth - old.depth)]
        }
        enter(segments, in: range, bits: bits, directory, depth: depth)
        exchangeDirectory(for: directory, depth: depth)
    }

    /// Makes readers use a single segment, under the lock.
    func exchangeDirectory(forOnly segment: Segment<Value>) {
        let old = state.pointee.directory
        ownDirectory.pointee = segment
        state.pointee.directory = ownDirectory
        state.pointee.shift = 32
        state.pointee.layoutGeneration &+= 1
        if old != ownDirectory { old.deallocate() }
    }

    @usableFromInline
    func enter(
        _ segments: [Segment<Value>],
        in range: HashRange,
        bits: Int,
        _ directory: UnsafeMutablePointer<Segment<Value>>,
        depth: Int
    ) {
        let first = Int(UInt64(range.start) &>> UInt64(32 - depth))
        let copyBits = depth - range.depth - bits
        for index in 0..<segments.count << copyBits {
            directory[first + index] = segments[index >> copyBits]
        }
    }

    @usableFromInline
    func allocateDirectory(depth: Int) -> UnsafeMutablePointer<Segment<Value>> {
        let size = MemoryLayout<Segment<Value>>.stride << depth
        return UnsafeMutableRawPointer.allocate(byteCount: size, alignment: ProcessorCacheLine.size)
            .bindMemory(to: Segment<Value>.self, capacity: 1 << depth)
    }

    @usableFromInline
    func exchangeDirectory(for directory: UnsafeMutablePointer<Segment<Value>>, depth: Int) {
        let old = state.pointee.directory
        acquire()
        if depth == 0 {
            ownDirectory.pointee = directory.pointee
            state.pointee.directory = ownDirectory
        } else {
            state.pointee.directory = directory
        }
        state.pointee.shift = UInt8(32 - depth)
        state.pointee.layoutGeneration &+= 1
        release()
        if depth == 0 { directory.deallocate() }
        if old != ownDirectory { old.deallocate() }
    }

    /// Halves the directory while no segment needs its depth.
    @usableFromInline
    func shrinkDirectory() {
        let old = state.pointee
        var depth = 0
        var position: UInt64 = 0
        while position < HashRange.all.end, depth < old.depth {
            let header = old.segment(of: UInt32(position)).header.pointee
            depth = max(depth, Int(header.depth))
            position = header.range.end
        }
        guard depth < old.depth else { return }
        let directory = allocateDirectory(depth: depth)
        for index in 0..<1 << depth {
            directory[index] = old.directory[index << (old.depth - depth)]
        }
        exchangeDirectory(for: directory, depth: depth)
    }

    /// Returns the adjacent segments that fit into one together with a sparse segment, and the
    /// range of hashes that they contain together.
    @usableFromInline
    func segmentsToJoin(
        with segment: Segment<Value>,
        _ size: SegmentSize
    ) -> ([Segment<Value>], HashRange) {
        var joined = [segment]
        var range = segment.header.pointee.range
        var count = Int(segment.header.pointee.count)
        while range.depth > 0 {
            // The other half may be divided further, since a division can make empty segments.
            var buddies: [Segment<Value>] = []
            var position = UInt64(range.buddy.start)
            while position < range.buddy.end, size.canJoin(count) {
                let buddy = state.pointee.segment(of: UInt32(position))
                count += Int(buddy.header.pointee.count)
                position = buddy.header.pointee.range.end
                buddies.append(buddy)
            }
            guard size.canJoin(count) else { break }
            joined += buddies
            range = range.parent
        }
        return (joined, range)
    }
}

extension StripeState {
    /// The directory's segments for a range of hashes, for tests.
    func segments(in range: HashRange) -> [Segment<Value>] {
        let first = Int(UInt64(range.start) >> UInt64(shift))
        return (0..<1 << (depth - range.depth)).map { directory[first + $0] }
    }
}
