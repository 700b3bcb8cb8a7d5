/// The memory of a ``ChunkedArray``.
///
/// It isn't shared while it changes: the array copies it first if another array refers to it too.
@usableFromInline
final class ChunkStorage<Element> {
    // The array that refers to the storage has exclusive access while it changes it. The run-time
    // check would cost a call for each element.

    /// The chunks.
    ///
    /// Each chunk has `1 << shift` places. The only chunk of a short array can have fewer.
    @exclusivity(unchecked) @usableFromInline private(set) var chunks:
        ContiguousArray<UnsafeMutablePointer<Element>> = []
    @exclusivity(unchecked) @usableFromInline var count = 0
    /// The binary logarithm of the number of places in a chunk.
    @usableFromInline let shift: Int
    @exclusivity(unchecked) @usableFromInline private(set) var capacity = 0

    private static var minimumCapacity: Int { 4 }

    /// Creates storage without chunks.
    ///
    /// - Parameter chunkSize: The least size of a full chunk in bytes; see ``GrowthStep``.
    init(chunkSize: Int) {
        let stride = MemoryLayout<Element>.stride
        let places = (chunkSize + stride - 1) / stride
        shift = places <= 1 ? 0 : Int.bitWidth - (places - 1).leadingZeroBitCount
    }

    deinit {
        var rest = MemoryLayout<Element>.isPlain ? 0 : count
        for chunk in chunks {
            let part = min(rest, 1 << shift)
            chunk.deinitialize(count: part)
            chunk.deallocate()
            rest -= part
        }
    }

    /// Returns the address of an element, which must exist.
    ///
    /// The elements of a chunk stay in place until the only chunk grows or the storage is released.
    @inlinable @inline(__always)
    func address(of index: Int) -> UnsafeMutablePointer<Element> {
        chunks[index &>> shift] + (index & ((1 &<< shift) &- 1))
    }

    @inlinable
    func append(_ element: consuming Element) {
        if count == capacity { grow() }
        address(of: count).initialize(to: element)
        count += 1
    }

    /// Removes and returns the last element; there must be one.
    func removeLast() -> Element {
        count -= 1
        let element = address(of: count).move()
        // One empty chunk is kept, so that alternating insertions and removals at its edge don't
        // allocate and free it each time.
        if chunks.count > 2, count <= (chunks.count - 2) << shift {
            chunks.removeLast().deallocate()
            capacity -= 1 << shift
        }
        return element
    }

    func copy() -> ChunkStorage {
        let copy = ChunkStorage(shift: shift)
        for index in 0..<count { copy.append(address(of: index).pointee) }
        return copy
    }

    private init(shift: Int) { self.shift = shift }

    /// Adds a chunk, or enlarges the only chunk if it is small.
    @usableFromInline
    func grow() {
        let places = 1 << shift
        guard capacity < places else {
            chunks.append(.allocate(capacity: places))
            capacity += places
            return
        }
        capacity = min(places, max(Self.minimumCapacity, capacity * 2))
        let chunk = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        if let former = chunks.popLast() {
            chunk.moveInitialize(from: former, count: count)
            former.deallocate()
        }
        chunks.append(chunk)
    }
}
