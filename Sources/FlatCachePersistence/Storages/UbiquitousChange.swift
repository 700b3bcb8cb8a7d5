/// A change from outside of the values that iCloud keeps for a user.
public struct UbiquitousChange: Hashable, Sendable {
    /// The reason for a change.
    public enum Reason: Hashable, Sendable {
        /// Another device of the user changed the values.
        case serverChange
        /// Values arrived from iCloud for the first time; they replaced the values that were stored
        /// on the device.
        case initialSync
        /// The stored values exceed the limit of iCloud, so some of them weren't kept.
        case quotaViolation
        /// The device now uses the account of another user, with other values.
        case accountChange
        /// A reason that this library doesn't know, as the system's number; `nil` if the system
        /// gives none.
        case other(Int?)
    }

    /// The reason for the change.
    public let reason: Reason

    /// The keys of the values, as far as the system reports them.
    public let keys: Set<String>

    /// Creates a change.
    ///
    /// - Parameters:
    ///   - reason: The reason for the change.
    ///   - keys: The keys of the values.
    public init(reason: Reason, keys: Set<String>) {
        self.reason = reason
        self.keys = keys
    }
}
