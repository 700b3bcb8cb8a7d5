/// An error that ends the wait for an entity.
///
/// ```swift
/// do {
///     let book = try await cache.cached(Book.self, id: 1).value(timeout: .seconds(5))
///     print(book.title)
/// } catch WaitingError.timedOut(let key, let timeout) {
///     print("\(key) didn't arrive within \(timeout).")
/// }
/// ```
public enum WaitingError: Error, Hashable, Sendable {
    /// The timeout ended before the awaited value was stored.
    case timedOut(CacheKey, after: Duration)
    /// The cache was deallocated before the awaited value was stored.
    case cacheDeallocated(CacheKey)
}

extension WaitingError: CustomStringConvertible {
    /// A message that names the error's cause and the entity's key.
    public var description: String {
        switch self {
        case .timedOut(let key, let timeout):
            "The wait for \(key) timed out after \(timeout)."
        case .cacheDeallocated(let key):
            "The cache was deallocated while a task waited for \(key)."
        }
    }
}
