/// The freshness of an entity's value: missing, fresh or stale.
///
/// ```swift
/// switch cache.freshness(of: Book.self, id: 1) {
/// case .missing: print("not stored")
/// case .fresh: print("up to date")
/// case .stale(let since): print("to be loaded again since \(since)")
/// }
/// ```
///
/// Every read returns the stored value, fresh or stale. See <doc:FreshnessAndLoading>.
public enum Freshness: Hashable, Sendable {
    /// The entity has no value.
    case missing
    /// The entity has a value that doesn't need to be loaded again.
    ///
    /// `since` is the time at which the value was last stored, even if it was equal to the previous
    /// one. It's `nil` if the cache didn't record the time then. It records the times of types that
    /// have lifetimes, and of each type from its first invalidation on.
    case fresh(since: CacheInstant?)
    /// The entity has a value that should be loaded again.
    ///
    /// `since` is the time from which on the value was stale: the end of its lifetime, or the time
    /// of its invalidation.
    case stale(since: CacheInstant)

    /// A Boolean value that indicates whether the entity has no value.
    public var isMissing: Bool { self == .missing }

    /// A Boolean value that indicates whether the entity has a fresh value.
    public var isFresh: Bool {
        if case .fresh = self { true } else { false }
    }

    /// A Boolean value that indicates whether the entity has a stale value.
    public var isStale: Bool {
        if case .stale = self { true } else { false }
    }
}
