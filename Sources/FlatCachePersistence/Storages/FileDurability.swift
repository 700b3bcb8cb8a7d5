/// The events that a file's contents survive.
///
/// ```swift
/// let orders = FileStorage(durability: .durable)  // survives a power loss
/// let thumbnails = FileStorage(durability: .unsynchronized)  // can be made again
/// ```
///
/// Even if a process ends during a write, readers find either the old contents or the new ones,
/// never a part of either. The policies differ in the effect of a power loss, and in the cost of a
/// write.
public enum FileDurability: Hashable, Sendable, CaseIterable {
    /// A write doesn't wait for the medium, so it's fast.
    ///
    /// The system decides when the contents reach the medium, often within half a minute. After a
    /// power loss the file may have the old contents, the new ones, or, on some file systems, none.
    case unsynchronized
    /// After a power loss the file has either the old contents or the new ones, complete.
    ///
    /// A write waits for `fsync` to put the contents on the medium before they replace the old
    /// ones, like Foundation's atomic writing. On Apple's systems the write waits for a barrier,
    /// `F_BARRIERFSYNC`, because drives reorder writes there.
    case synchronized
    /// After a write returns, its contents survive a power loss.
    ///
    /// A write also waits until the folder's entry is on the medium, and the entries of the folders
    /// that it created: two calls of `fsync` or more; on Apple's systems of `F_FULLFSYNC`.
    case durable
}
