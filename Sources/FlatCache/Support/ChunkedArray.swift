import Synchronization

/// An array whose elements are in chunks, so that no single append has to copy all of them.
///
/// Appending takes at most the time to allocate a chunk, and removing the last element at most the
/// time to free one, regardless of the number of elements. A plain value without locks or
/// callbacks.
@usableFromInline
package struct ChunkedArray<Element> {
    @usableFromInline private(set) var storage: ChunkStorage<Element>

    /// Creates an empty array.
    ///
    /// - Parameter chunkSize: The least size of a full chunk in bytes; see ``GrowthStep``.
    init(chunkSize: Int = GrowthStep.chunkSize) {
        storage = ChunkStorage(chunkSize: chunkSize)
    }

    /// Creates an array with the elements of a sequence.
    package init(_ elements: some Sequence<Element>) {
        self.init()
        for element in elements { append(element) }
    }

    /// Adds an element at the end.
    ///
    /// The method is inlinable, because writes append entities in clients' modules.
    @inlinable
    mutating func append(_ element: consuming Element) {
        makeUnique()
        storage.append(element)
    }

    /// Removes and returns the last element; the array must not be empty.
    @discardableResult
    mutating func removeLast() -> Element {
        precondition(storage.count > 0, "An empty array has no last element.")
        makeUnique()
        return storage.removeLast()
    }

    /// Removes and returns the last element, or returns `nil` if the array is empty.
    mutating func popLast() -> Element? { storage.count > 0 ? removeLast() : nil }

    /// Removes all elements and frees their memory.
    mutating func removeAll() { self = ChunkedArray() }

    @inlinable @inline(__always)
    mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&storage) { copyStorage() }
    }

    @usableFromInline
    mutating func copyStorage() { storage = storage.copy() }
}

extension ChunkedArray: RandomAccessCollection, MutableCollection {
    @inlinable package var startIndex: Int { 0 }

    @inlinable package var endIndex: Int { storage.count }

    @inlinable
    package subscript(index: Int) -> Element {
        _read {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: storage.count))
            yield storage.address(of: index).pointee
        }
        _modify {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: storage.count))
            makeUnique()
            yield &storage.address(of: index).pointee
        }
    }
}

// Storage that several arrays share doesn't change.
extension ChunkedArray: @unchecked Sendable where Element: Sendable {}

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

    /// Returns the address of an element; the element must exist.
    ///
    /// The elements of a chunk remain in place until the only chunk grows or the storage is
    /// released.
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

/// The size of the steps in which chunked collections grow.
///
/// A collection that copies itself when it is full makes one write wait for all of its elements. A
/// chunked collection therefore copies, moves or frees at most one chunk at a time.
///
/// A chunk has at least 64 KiB. Whenever the allocator of Linux frees that many bytes, it merges
/// the small blocks that were freed earlier. With smaller chunks, this work would accumulate: after
/// the removal of a million elements, the next allocation of more than one KiB would merge all of
/// their blocks in one call.
package enum GrowthStep {
    private static let size = Atomic<Int>(defaultChunkSize)

    /// The size of a full chunk of new collections, in bytes, rounded up to a power of two of
    /// elements.
    ///
    /// Tests lower the size to one element to reach every intermediate state of a growth. The size
    /// doesn't affect results.
    package static var chunkSize: Int {
        get { size.load(ordering: .relaxed) }
        set { size.store(newValue, ordering: .relaxed) }
    }

    package static let defaultChunkSize = 65_536
}
