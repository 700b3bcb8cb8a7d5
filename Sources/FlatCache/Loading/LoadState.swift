/// The progress of a loading handle, for a progress indicator.
///
/// ```swift
/// switch cache.cached(Book.self, id: 1).loading().loadState {
/// case .idle: break
/// case .loading: print("Loading …")
/// case .failed(let error, let next): print("\(error); again in \(cache.now.duration(to: next))")
/// }
/// ```
///
/// See ``Cached/loadState``.
public enum LoadState: Sendable {
    /// The handle isn't loading.
    case idle
    /// The handle waits for the answer of a call.
    case loading
    /// The last load has failed, and the next one begins at an instant of the cache's clock.
    case failed(any Error, nextAttempt: CacheInstant)

    /// A Boolean value that indicates whether the handle waits for an answer.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// The error of the last load while the handle waits for the next one, or `nil`.
    public var error: (any Error)? {
        if case .failed(let error, _) = self { error } else { nil }
    }
}
