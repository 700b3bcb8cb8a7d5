/// Whether there is a value for an entity, and whether it is fresh.
public enum CachedState: Hashable, Sendable {
    /// There is none.
    case missing
    /// There is one that has not expired.
    ///
    /// `since` is when it was last stored, also if it was equal then; `nil` if values of the type
    /// don't expire, since nobody then looks at a clock.
    case fresh(since: CacheInstant?)
    /// There is one that has expired, and is kept because it is in use.
    ///
    /// `since` is when the cache noticed that.
    case stale(since: CacheInstant)

    /// Whether there is a value that has expired.
    public var isStale: Bool {
        if case .stale = self { true } else { false }
    }
}
