/// An error of a ``SecureCodingTransformer`` that can't archive an object or read an archive.
///
/// A persister adds the key and the storage: the error is then the ``PersistenceError/underlying``
/// error of a ``PersistenceError``.
public struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason of the failure.
    public let reason: String

    init(_ reason: String) {
        self.reason = reason
    }

    /// A sentence that states the reason.
    public var description: String { "The archive cannot be made or read: \(reason)." }
}
