/// A cause of a failed operation that is known by its description only.
struct StorageFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// The failure of a storage or a repository that can't copy corrupt values.
    ///
    /// - Parameter missing: The protocol or method that the storage lacks.
    static func noCopies(without missing: String) -> StorageFailure {
        StorageFailure("the storage can't keep a copy: it doesn't support \(missing)")
    }
}
