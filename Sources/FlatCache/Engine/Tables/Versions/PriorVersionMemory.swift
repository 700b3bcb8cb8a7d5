import Synchronization

/// The memory of a `PriorVersionLog`, in chunks.
///
/// After a transaction, the thread that has released the writers' lock releases the values, which
/// may run any code. The first chunk then serves a later transaction, so that small commits
/// allocate nothing.
@usableFromInline
final class PriorVersionMemory: @unchecked Sendable {
    // The writers' lock guards all properties until the memory is closed. From then on they belong
    // to the thread that calls `release()`, until `isFree` is set again.

    @usableFromInline
    typealias Deinitializer = @Sendable (UnsafeMutableRawPointer, _ count: Int) -> Void

    private struct Chunk {
        let start: UnsafeMutableRawPointer
        let capacity: Int
        var count: Int
    }

    private let free = Atomic<Bool>(true)
    private let stride: Int
    private let alignment: Int
    private let deinitialize: Deinitializer
    @exclusivity(unchecked) private var chunks: [Chunk] = []
    /// The next element of the writer's list of closed memory.
    @exclusivity(unchecked) var nextReleased: PriorVersionMemory?

    /// A Boolean value that indicates whether a log can use the memory.
    @usableFromInline var isFree: Bool { free.load(ordering: .acquiring) }

    @usableFromInline
    init(stride: Int, alignment: Int, _ deinitialize: @escaping Deinitializer) {
        self.stride = stride
        self.alignment = alignment
        self.deinitialize = deinitialize
    }

    deinit { for chunk in chunks { chunk.start.deallocate() } }

    private static var firstCapacity: Int { 4 }

    /// Returns uninitialized memory for further prior versions.
    ///
    /// - Parameter isFirst: Whether a log begins to use the memory.
    @usableFromInline
    func addChunk(isFirst: Bool) -> (start: UnsafeMutableRawPointer, capacity: Int) {
        if isFirst { free.store(false, ordering: .relaxed) }
        if !isFirst || chunks.isEmpty {
            let most = max(GrowthStep.chunkSize / stride, 1)
            let last = chunks.last?.capacity ?? Self.firstCapacity / 2
            let capacity = min(2 * last, most)
            let start = UnsafeMutableRawPointer.allocate(
                byteCount: capacity * stride,
                alignment: alignment
            )
            if let last = chunks.indices.last { chunks[last].count = chunks[last].capacity }
            chunks.append(Chunk(start: start, capacity: capacity, count: 0))
        }
        let chunk = chunks[chunks.count - 1]
        return (chunk.start, chunk.capacity)
    }

    /// Records the end of the last chunk's prior versions.
    func close(at end: UnsafeMutableRawPointer) {
        let last = chunks.count - 1
        chunks[last].count = (end - chunks[last].start) / stride
    }

    /// Releases the prior versions, and all chunks except the first.
    ///
    /// Called outside all locks.
    func release() {
        for chunk in chunks { deinitialize(chunk.start, chunk.count) }
        while chunks.count > 1 { chunks.removeLast().start.deallocate() }
        free.store(true, ordering: .releasing)
    }
}
