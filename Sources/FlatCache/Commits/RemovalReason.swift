/// Why a commit has removed a value.
///
/// What goes because it belongs to another value (``OwnsCachedValues``) goes for the same reason as
/// that.
public enum RemovalReason: Hashable, Sendable {
    /// Someone has asked for it: with `remove`, `removeAll`, or by setting a handle's value to `nil`.
    case explicit
    /// It had to make room: for others, because of the ``CacheLimit`` of its type, or by
    /// ``Cache/trim(to:)``.
    case evicted
    /// Its time was up, by the ``CacheExpiration`` of its type, and it was not in use.
    case expired
    /// No observation reached it when ``Cache/pruneUnobservedValues()`` was called.
    case pruned
}
