/// The reason for which a commit removed a value.
///
/// ```swift
/// let observation = cache.observeChanges(Book.self, id: 1) { change in
///     if case .removed(.evicted) = change.kind { print("To be loaded again.") }
/// }
/// ```
///
/// Entities that a value owns (``OwnsCachedValues``) are removed for the same reason as their
/// owner.
public enum RemovalReason: Hashable, Sendable {
    /// An explicit removal: with `remove`, `removeAll`, or by setting a handle's value to `nil`.
    case explicit
    /// An eviction, because of the ``CacheLimit`` of its type or by ``Cache/trim(to:)``.
    case evicted
    /// An expiry by the ``CacheExpiration`` of its type, while the value wasn't in use.
    case expired
    /// A call of ``Cache/pruneUnobservedValues()`` while no observation reached the value.
    case pruned
}
