import Synchronization

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
