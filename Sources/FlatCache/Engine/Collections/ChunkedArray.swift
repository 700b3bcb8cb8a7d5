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
