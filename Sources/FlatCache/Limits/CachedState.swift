/// The state of an entity's value: missing, fresh or stale.
public enum CachedState: Hashable, Sendable {
    /// The entity has no value.
    case missing
    /// The entity has a value that hasn't expired.
    ///
    /// `since` is the time at which the value was last stored, even if it was equal to the previous
    /// one. It's `nil` if values of the type don't expire, since the cache then doesn't read the
    /// clock.
    case fresh(since: CacheInstant?)
    /// The entity has an expired value, which the cache keeps because it's in use.
    ///
    /// `since` is the time at which the cache noticed the expiration.
    case stale(since: CacheInstant)

    /// A Boolean value that indicates whether the entity has an expired value.
    public var isStale: Bool {
        if case .stale = self { true } else { false }
    }
}
