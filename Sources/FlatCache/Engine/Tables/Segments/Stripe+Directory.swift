// The directory of a stripe, which the writer changes under both locks.
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

    /// Makes readers use another directory.
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
