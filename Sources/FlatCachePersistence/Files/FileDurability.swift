/// What a file's contents survive.
///
/// Whatever happens to a process, readers find the old contents or the new ones, never a part of either.
/// The policies differ in what the loss of power may do, and in what a write costs.
public enum FileDurability: Hashable, Sendable, CaseIterable {
    /// Nothing waits for the medium, so a write is fast.
    ///
    /// The contents reach it when the system sees fit, often within half a minute. After a loss of power
    /// there may be the old contents, the new ones, or, on some file systems, an empty file.
    case unsynchronized
    /// After a loss of power there are the old contents or the new ones, whole.
    ///
    /// A write waits until the contents are on the medium, by `fsync`, before they take the place of the
    /// old ones. This is what Foundation's atomic writing does, too. On Apple's systems it waits for a
    /// barrier, `F_BARRIERFSYNC`, since drives write in their own order there.
    case synchronized
    /// Contents that have been written survive a loss of power.
    ///
    /// A write also waits until the folder says so, and those above that it has created: two calls of
    /// `fsync` or more; on Apple's systems of `F_FULLFSYNC`.
    case durable
}
