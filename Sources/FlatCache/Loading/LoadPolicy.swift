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
    case staleWhileRevalidate
    /// Loads, whether or not there's a stored value.
    ///
    /// If a call for the entity or the request is running already, the load waits for its answer.
    case networkOnly
    /// Returns the stored value, fresh or stale, and loads nothing.
    case cacheOnly
}
