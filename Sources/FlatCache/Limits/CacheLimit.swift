/// A limit on the number or the total cost of the values of a type.
///
/// Pass it to ``CacheConfiguration/limit(_:_:staleAfter:expires:)`` or
/// ``Cache/limit(_:_:staleAfter:expires:)``:
///
/// ```swift
/// var configuration = CacheConfiguration()
/// configuration.limit(Book.self, .count(1_000), expires: .afterWrite(.seconds(600)))
/// configuration.limit(Author.self, .cost(1_000_000, of: { $0.name.utf8.count }))
/// let cache = Cache(configuration: configuration)
/// ```
///
/// If a commit inserts values, or makes values more expensive, and the limit is then exceeded, the
/// same commit evicts values that haven't been read for long. It doesn't evict the values that it
/// has stored itself, unless they alone exceed the limit. Values that are observed, reached by an
/// observation, or pinned are never evicted, even if the limit remains exceeded.
///
/// The values to evict are selected by SIEVE (Zhang et al., "SIEVE is Simpler than LRU: an
/// Efficient Turn-Key Eviction Algorithm for Web Caches", 2024), with a bound on the work for each
/// write: the hand passes over at most 64 recently read values before it evicts the next one
/// regardless, and it visits a limited number of values for each value that is written. If that
/// isn't enough, the following commits continue.
public struct CacheLimit<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    /// The maximum total cost of the values.
    let limit: Int
    /// The function that returns the cost of a value, or `nil` if each value costs one.
    let cost: (@Sendable (Value) -> Int)?

    /// Keeps all values.
    public static var unlimited: CacheLimit { CacheLimit(limit: .max, cost: nil) }

    /// Keeps a number of values.
    ///
    /// ```swift
    /// cache.limit(Book.self, .count(500))
    /// ```
    ///
    /// - Parameter limit: The maximum number of values, zero or more.
    public static func count(_ limit: Int) -> CacheLimit {
        precondition(limit >= 0, "A cache cannot keep \(limit) values: use zero or more.")
        return CacheLimit(limit: limit, cost: nil)
    }

    /// Keeps values up to a total cost.
    ///
    /// ```swift
    /// cache.limit(Author.self, .cost(1_000_000) { $0.name.utf8.count })
    /// ```
    ///
    /// The cache doesn't keep a value that alone costs more than the limit, and evicts no other
    /// values for it. Several commits may be needed to make room for a value that costs as much as
    /// many others together.
    ///
    /// ## Concurrency
    /// Each commit that stores a value calls the closure once, on the writing thread.
    /// ``Cache/limit(_:_:staleAfter:expires:)`` calls it for the existing values, on the calling
    /// thread. Both call it under the writers' lock: the closure may read the cache but not change
    /// it.
    ///
    /// - Parameters:
    ///   - total: The maximum total cost, zero or more, in the unit of the costs.
    ///   - cost: A closure that returns the cost of a value, such as its size in bytes. A negative
    ///     cost is a programmer error and traps.
    public static func cost(
        _ total: Int,
        of cost: @escaping @Sendable (Value) -> Int
    ) -> CacheLimit {
        precondition(total >= 0, "Values cannot cost \(total) together: use zero or more.")
        return CacheLimit(limit: total, cost: cost)
    }
}

/// The rule by which values of a type expire.
///
/// ```swift
/// cache.limit(Book.self, expires: .afterWrite(.seconds(600)))
/// cache.limit(Author.self, expires: .afterAccess(.seconds(3600)))
/// ```
///
/// When a value expires that isn't in use, the cache removes it. A value that is observed, reached
/// by an observation, or pinned becomes stale instead, and the cache removes it when it's no longer
/// in use. Storing a value makes it fresh again, even if it's equal to the stored one. To make
/// values stale without removing them, use a ``CacheStaleness``.
///
/// Expiration follows the cache's clock, ``CacheConfiguration/clock``. The cache removes an expired
/// value within a hundredth of a second, or later if another thread is writing at that time.
/// Reading doesn't check the clock.
public struct CacheExpiration<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    let rule: LifetimeRule<Value>

    /// Keeps values until they're removed.
    public static var never: CacheExpiration { CacheExpiration(rule: .never) }

    /// Expires values a given time after they were last stored.
    ///
    /// ```swift
    /// cache.limit(Book.self, expires: .afterWrite(.seconds(600)))
    /// ```
    ///
    /// - Parameter lifetime: The time for which a value is kept, greater than zero.
    public static func afterWrite(_ lifetime: Duration) -> CacheExpiration {
        precondition(lifetime > .zero, "Values cannot stay for \(lifetime): give some time.")
        return CacheExpiration(rule: .afterWrite(lifetime))
    }

    /// Expires values a given time after they were last read or stored.
    ///
    /// ```swift
    /// cache.limit(Book.self, expires: .afterAccess(.seconds(3600)))
    /// ```
    ///
    /// Reading a value by its identifier or through a handle, a list or an alias counts.
    /// Enumerating all values of a type, or asking for the freshness of a value, doesn't. A value
    /// that is in use, because it's observed, reached by an observation, or pinned, doesn't expire.
    /// When it's no longer in use, it counts as read at that time.
    ///
    /// The cache knows the time of a read to an eighth of the given time, so it keeps a value for
    /// up to an eighth longer. For example, with `.afterAccess(.seconds(80))`, a value expires 80
    /// to 90 seconds after its last read. Reading doesn't check the clock. While the cache can't
    /// check it either, for example because a long batch holds it up, values that are read count as
    /// read at the end of that period.
    ///
    /// - Parameter time: The time without a read or a write after which a value expires, greater
    ///   than zero.
    public static func afterAccess(_ time: Duration) -> CacheExpiration {
        precondition(time > .zero, "Values cannot stay for \(time): give some time.")
        return CacheExpiration(rule: .afterAccess(time))
    }

    /// Expires each value at its own instant, such as one that a server has sent with it.
    ///
    /// ```swift
    /// struct Offer: CacheEntity {
    ///     let id: Int
    ///     var end: ContinuousClock.Instant?
    /// }
    ///
    /// cache.limit(Offer.self, expires: .at(\.end))
    /// ```
    ///
    /// ## Concurrency
    /// Each commit that stores a value calls the closure once, on the writing thread.
    /// ``Cache/limit(_:_:staleAfter:expires:)`` calls it for the existing values, on the calling
    /// thread. Both call it under the writers' lock: the closure may read the cache but not change
    /// it.
    ///
    /// - Parameter expiration: A closure that returns the instant of the cache's clock at which a
    ///   value expires, or `nil` if the value doesn't expire. If the instant has already passed,
    ///   the value expires at once. Instants of another clock's type are a programmer error:
    ///   configuring a cache with them traps.
    public static func at<Instant: InstantProtocol>(
        _ expiration: @escaping @Sendable (Value) -> Instant?
    ) -> CacheExpiration where Instant.Duration == Duration {
        CacheExpiration(rule: .at(OwnTime(expiration)))
    }
}
