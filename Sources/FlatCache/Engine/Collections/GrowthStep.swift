import Synchronization

/// The size of the steps in which chunked collections grow.
///
/// A collection that copies itself when it is full makes one write wait for all of its elements. A
/// chunked collection therefore copies, moves or frees at most one chunk at a time.
///
/// A chunk isn't smaller than 64 KiB, since the allocator of Linux merges the small blocks that
/// were freed earlier whenever it frees so many bytes. With smaller chunks it would merge those of
/// a million removed elements in one call, at the next allocation of more than a kibibyte.
package enum GrowthStep {
    private static let size = Atomic<Int>(defaultChunkSize)

    /// The size of a full chunk of new collections, in bytes, rounded up to a power of two of
    /// elements.
    ///
    /// Tests that need every intermediate state of a growth lower it, so that a chunk has one
    /// element. It doesn't affect results.
    package static var chunkSize: Int {
        get { size.load(ordering: .relaxed) }
        set { size.store(newValue, ordering: .relaxed) }
    }

    package static let defaultChunkSize = 65_536
}
