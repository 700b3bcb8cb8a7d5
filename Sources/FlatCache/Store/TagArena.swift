/// The memory for the tags and the marks of large segments.
///
/// The tags of a table lie close together, apart from the entries, so that few pages contain them
/// and the processor's caches keep them. With the tags beside the entries of their segment, random
/// reads took half as long again (row 2 of Benchmarks).
///
/// Guarded by the writers' lock, except the memory: it's guarded like the segments.
@usableFromInline
struct TagArena {
    /// The number of segments whose tags and marks a chunk contains.
    @inlinable static var cellCount: Int { 16 }

    /// The number of slots of the largest segment for which the arena has room.
    @inlinable static var maximumCapacity: Int { 2_048 }

    private struct Chunk {
        let base: UnsafeMutableRawPointer
        var freeCells: [Int]
    }

    /// The chunks; the memory of unused ones has been freed.
    private var chunks: [Chunk] = []
    /// The indices of the chunks with free cells.
    private var chunksWithSpace: [Int] = []
    /// The indices of the chunks whose memory has been freed.
    private var unusedChunks: [Int] = []

    /// Returns whether the arena contains the tags of a segment with a number of slots.
    ///
    /// Smaller segments contain their tags themselves, like the few larger ones.
    @inlinable @inline(__always)
    static func contains(capacity: Int) -> Bool {
        capacity > maximumCapacity / 2 && capacity <= maximumCapacity
    }

    /// Returns the distance of the marks from the tags of a segment.
    @inlinable
    static func marksOffset(capacity: Int) -> Int {
        contains(capacity: capacity) ? cellCount * maximumCapacity : (capacity + 15) & ~15
    }

    /// Returns memory for the tags of a segment, and the index of its chunk.
    mutating func allocate() -> (tags: UnsafeMutableRawPointer, chunk: Int) {
        let index = chunksWithSpace.last ?? addChunk()
        let cell = chunks[index].freeCells.removeLast()
        if chunks[index].freeCells.isEmpty { chunksWithSpace.removeLast() }
        return (chunks[index].base + cell * Self.maximumCapacity, index)
    }

    private mutating func addChunk() -> Int {
        let chunk = Chunk(
            base: .allocate(
                byteCount: 2 * Self.cellCount * Self.maximumCapacity,
                alignment: ProcessorCacheLine.size
            ),
            freeCells: Array((0..<Self.cellCount).reversed())
        )
        let index = unusedChunks.popLast() ?? chunks.count
        if index == chunks.count { chunks.append(chunk) } else { chunks[index] = chunk }
        chunksWithSpace.append(index)
        return index
    }

    /// Frees the memory for the tags of a segment.
    mutating func free(_ tags: UnsafeMutableRawPointer, inChunk index: Int) {
        if chunks[index].freeCells.isEmpty { chunksWithSpace.append(index) }
        chunks[index].freeCells.append((tags - chunks[index].base) / Self.maximumCapacity)
        guard chunks[index].freeCells.count == Self.cellCount else { return }
        chunks[index].base.deallocate()
        chunks[index].freeCells = []
        chunksWithSpace.removeAll { $0 == index }
        unusedChunks.append(index)
    }

    var chunkCount: Int { chunks.count - unusedChunks.count }
}
