/// A point in time by a cache's clock, counted from when the cache was made.
///
/// Only instants of one cache can be compared. To see how old a value is, compare with
/// ``Cache/now``:
///
/// ```swift
/// if case .stale(let since) = cache.cached(Book.self, id: 1).state {
///     print("stale for \(since.duration(to: cache.now))")
/// }
/// ```
public struct CacheInstant: InstantProtocol, Sendable {
    /// How long after the cache was made.
    public let offset: Duration

    init(offset: Duration) { self.offset = offset }

    init(_ time: Time) { offset = .nanoseconds(time) }

    /// Returns the instant some time later.
    ///
    /// - Parameter duration: How much later.
    public func advanced(by duration: Duration) -> CacheInstant {
        CacheInstant(offset: offset + duration)
    }

    /// Returns the time between two instants of one cache.
    ///
    /// - Parameter other: The later one.
    public func duration(to other: CacheInstant) -> Duration { other.offset - offset }

    /// Returns whether an instant of a cache is before another one of the same cache.
    public static func < (left: CacheInstant, right: CacheInstant) -> Bool {
        left.offset < right.offset
    }
}
