/// An event of a channel, sent to its listeners.
enum StorageEvent<Value: Sendable>: Sendable {
    /// The value changed to another or was removed, as of the given version.
    case changed(Value?, version: Int)
    /// An operation failed; the value in memory remains current.
    case failed(any Error)
}
