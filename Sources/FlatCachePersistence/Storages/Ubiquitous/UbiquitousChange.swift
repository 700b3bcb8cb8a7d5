/// A change of the values that iCloud keeps for a user, which came from outside.
public struct UbiquitousChange: Hashable, Sendable {
    /// Why the values have changed.
    public enum Reason: Hashable, Sendable {
        /// Another device of the user's has changed them.
        case serverChange
        /// Values have come from iCloud for the first time; what was stored here before they came
        /// has given way to them.
        case initialSync
        /// More has been stored than iCloud keeps, so something has not been.
        case quotaViolation
        /// Another user's account is used now, with other values.
        case accountChange
        /// Something that this library does not know, as the system's number; `nil` if it gives
        /// none.
        case other(Int?)
    }

    /// Why the values have changed.
    public let reason: Reason

    /// The keys of the values, as far as the system tells.
    public let keys: Set<String>

    /// Creates a change.
    ///
    /// - Parameters:
    ///   - reason: Why the values have changed.
    ///   - keys: The keys of the values.
    public init(reason: Reason, keys: Set<String>) {
        self.reason = reason
        self.keys = keys
    }
}
