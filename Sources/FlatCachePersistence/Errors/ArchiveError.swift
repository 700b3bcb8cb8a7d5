/// An error of making or reading a keyed archive.
public struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason of the failure.
    public let reason: String

    init(_ reason: String) {
        self.reason = reason
    }

    /// A sentence that states the reason.
    public var description: String { "The archive cannot be made or read: \(reason)." }
}
