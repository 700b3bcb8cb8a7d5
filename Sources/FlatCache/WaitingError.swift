/// Why waiting for an entity has ended without it.
public enum WaitingError: Error, Hashable, Sendable {
    /// The time was up.
    case timedOut(CacheKey, after: Duration)
    /// The cache has gone, so nothing will come any more.
    case cacheHasGone(CacheKey)
}

extension WaitingError: CustomStringConvertible {
    /// What has happened, with the key that was waited for.
    public var description: String {
        switch self {
        case .timedOut(let key, let timeout):
            "Nothing that was waited for has come for \(key) within \(timeout)."
        case .cacheHasGone(let key):
            "The cache has gone while \(key) was waited for."
        }
    }
}
