/// A point in time of a cache's clock, measured from the creation of the cache.
///
/// Only instants of the same cache can be compared. To compute the age of a value, compare its
/// instant with ``Cache/now``:
///
/// ```swift
/// if case .stale(let since) = cache.cached(Book.self, id: 1).freshness {
///     print("stale for \(since.duration(to: cache.now))")
/// }
/// ```
public struct CacheInstant: InstantProtocol, Sendable {
    /// The time between the creation of the cache and this instant.
    public let offset: Duration

    init(offset: Duration) { self.offset = offset }

    init(_ time: Time) { offset = .nanoseconds(time.nanoseconds) }

    /// Returns the instant that follows after a duration.
    ///
    /// - Parameter duration: The duration to add.
    public func advanced(by duration: Duration) -> CacheInstant {
        CacheInstant(offset: offset + duration)
    }

    /// Returns the duration from this instant to another instant of the same cache.
    ///
    /// ```swift
    /// if case .fresh(let since?) = cache.freshness(of: Book.self, id: 1) {
    ///     print("stored \(since.duration(to: cache.now)) ago")
    /// }
    /// ```
    ///
    /// - Parameter other: The other instant.
    public func duration(to other: CacheInstant) -> Duration { other.offset - offset }

    /// Returns a Boolean value that indicates whether an instant precedes another instant of the
    /// same cache.
    public static func < (left: CacheInstant, right: CacheInstant) -> Bool {
        left.offset < right.offset
    }
}
