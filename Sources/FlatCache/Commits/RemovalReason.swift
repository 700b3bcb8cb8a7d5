/// Why a commit has removed a value.
public enum RemovalReason: Hashable, Sendable {
    /// Someone has asked for it: with `remove`, `removeAll`, or by setting a handle's value to `nil`.
    case explicit
    /// Nobody was looking at it when ``Cache/pruneUnobservedValues()`` was called.
    case pruned
}
