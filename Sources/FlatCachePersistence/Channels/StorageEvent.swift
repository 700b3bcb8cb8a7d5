/// What a channel tells its listeners.
enum StorageEvent<Value: Sendable>: Sendable {
    /// There is another value, or none any more, since the version that is given.
    case changed(Value?, version: Int)
    /// Something went wrong; what is in memory is what counts.
    case failed(any Error)
}
