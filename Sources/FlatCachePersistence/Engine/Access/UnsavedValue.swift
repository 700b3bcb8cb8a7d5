/// An error for a value that could not be stored.
struct UnsavedValue: Error {
    let reason: PersistenceError
    /// A Boolean value that indicates whether reads return the value nevertheless.
    let isReadable: Bool
}
