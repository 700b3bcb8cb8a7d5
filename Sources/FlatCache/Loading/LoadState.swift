/// The progress of a load, for a progress indicator.
///
/// ```swift
/// switch cache.cached(Book.self, id: 1).loading().loadState {
/// case .idle: break
/// case .loading: print("Loading …")
/// case .failed(let error, _): print("\(error); it's tried again soon")
/// }
/// ```
///
/// See ``Cached/loadState``, ``CachedRequest/loadState`` and ``LoadingList/nextLoadState``.
public enum LoadState: Sendable {
    /// No load is under way, and none has failed.
    case idle
    /// A load waits for the answer of a call.
    case loading
    /// The last load has failed. The next one begins at an instant of the cache's clock.
    ///
    /// If there's no instant, the load isn't repeated until your code begins another one, as for
    /// ``LoadingList/nextLoadState``, or until loads aren't paused any more: see
    /// ``Cache/pauseLoads()``.
    case failed(any Error, nextAttempt: CacheInstant?)

    /// A Boolean value that indicates whether a load waits for an answer.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// The error of the last load until the next one begins, or `nil`.
    ///
    /// For example, a view can show the error until the next attempt begins.
    public var error: (any Error)? {
        if case .failed(let error, _) = self { error } else { nil }
    }
}

/// An error of a load that its closure hasn't thrown.
///
/// ```swift
/// do {
///     _ = try await cache.load("books?page=2", policy: .cacheOnly) { try await api.page(2) }
/// } catch LoadError.missingResponse(let request) {
///     print("\(request) isn't available offline")
/// }
/// ```
public enum LoadError: Error, Hashable {
    /// The answer contains an entity that wasn't requested. Nothing of the answer is stored.
    ///
    /// For example, the closure is asked for book 1, and returns book 2.
    ///
    /// To store an entity under another identifier than the requested one, collect it in the
    /// closure with `cache.ingest`, and return `nil`.
    case unexpectedEntity(CacheKey, requested: [CacheKey])
    /// A request with ``LoadPolicy/cacheOnly`` has no stored response.
    case missingResponse(request: String)
    /// The closure of a load loads its own key, or two closures load each other's keys, and would
    /// wait for each other without end.
    ///
    /// The key of a request contains its name.
    ///
    /// For example, the closure for a book loads its author, and the closure for the author loads
    /// the book.
    case cycle(CacheKey)
}

extension LoadError: CustomStringConvertible {
    /// The error in words, with the keys or the name of the request.
    public var description: String {
        switch self {
        case .unexpectedEntity(let key, let requested):
            """
            The answer contains \(key), but the request was for \
            \(requested.map(\.description).joined(separator: ", ")). Nothing was stored.
            """
        case .missingResponse(let request):
            "The request \(String(reflecting: request)) has no stored response."
        case .cycle(let key):
            "The closure that loads \(name(of: key)) waits for itself. Don't load that in it."
        }
    }

    private func name(of key: CacheKey) -> String {
        let request = key.id(as: RequestState.self)
        return request.map { "the request \(String(reflecting: $0))" } ?? key.description
    }
}

/// The rule by which a load uses the stored value.
///
/// ```swift
/// let shown = try await cache.load(Book.self, id: 1, policy: .staleWhileRevalidate) {
///     try await api.book(1)
/// }
/// let current = try await cache.load(Book.self, id: 1, policy: .networkOnly) {
///     try await api.book(1)
/// }
/// ```
///
/// The names are those of Apollo's fetch policies and of the `stale-while-revalidate` directive of
/// RFC 5861.
public enum LoadPolicy: Hashable, Sendable {
    /// Returns a stored value that is fresh, and loads otherwise.
    case cacheFirst
    /// Returns a stored value at once, and loads a stale one in the background.
    ///
    /// A missing value is loaded as with ``cacheFirst``. An error in the background is dropped.
    ///
    /// For example, a screen shows the stored book until the newer one arrives.
    case staleWhileRevalidate
    /// Loads, whether or not there's a stored value.
    ///
    /// If a call for the entity or the request is running already, the load waits for its answer.
    ///
    /// For example, a pull to refresh loads with this policy.
    case networkOnly
    /// Returns the stored value, fresh or stale, and loads nothing.
    ///
    /// For example, an app uses this policy while it's offline.
    case cacheOnly
}
