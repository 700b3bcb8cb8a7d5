/// The freshness of an entity's value: missing, fresh or stale.
///
/// ```swift
/// switch cache.freshness(of: Book.self, id: 1) {
/// case .missing: print("not stored")
/// case .fresh: print("up to date")
/// case .stale(let since): print("to be loaded again since \(since)")
/// }
/// ```
///
/// Every read returns the stored value, fresh or stale. See <doc:FreshnessAndLoading>.
public enum Freshness: Hashable, Sendable {
    /// The entity has no value.
    case missing
    /// The entity has a value that doesn't need to be loaded again.
    ///
    /// `since` is the time at which the value was last stored, even if it was equal to the previous
    /// one. It's `nil` if the cache didn't record the time then. It records the times of types that
    /// have lifetimes, and of each type from its first invalidation on.
    case fresh(since: CacheInstant?)
    /// The entity has a value that should be loaded again.
    ///
    /// `since` is the time from which on the value was stale: the end of its lifetime, or the time
    /// of its invalidation.
    case stale(since: CacheInstant)

    /// A Boolean value that indicates whether the entity has no value.
    public var isMissing: Bool { self == .missing }

    /// A Boolean value that indicates whether the entity has a fresh value.
    ///
    /// For example, a view can load a book only if `book.freshness.isFresh` is `false`.
    public var isFresh: Bool {
        if case .fresh = self { true } else { false }
    }

    /// A Boolean value that indicates whether the entity has a stale value.
    public var isStale: Bool {
        if case .stale = self { true } else { false }
    }
}

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
    /// For example, `cache.now.advanced(by: .seconds(60))` is the instant one minute from now.
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

/// The rule by which values of a type become stale.
///
/// A stale value remains in the cache, and every read returns it: staleness says that the value
/// should be loaded again. ``ReadableCache/freshness(of:id:)`` tells fresh and stale values apart.
/// Storing a value makes it fresh again, even if it's equal to the stored one. To remove old
/// values, use a ``CacheExpiration``.
///
/// ```swift
/// var configuration = CacheConfiguration()
/// configuration.limit(Book.self, staleAfter: .seconds(60))
/// ```
///
/// The rule follows the cache's clock, ``CacheConfiguration/clock``. Asking for the freshness of a
/// value compares its time with the clock, so the answer is exact. Observers are notified with
/// ``EntityChange/Kind-swift.enum/becameStale`` within a hundredth of a second, or later if another
/// thread is writing at that time.
public struct CacheStaleness<Value: Sendable>: Sendable {
    let rule: LifetimeRule<Value>

    /// Keeps values fresh until they're invalidated, or until they have expired.
    public static var never: CacheStaleness { CacheStaleness(rule: .never) }

    /// Makes values stale some time after they were last stored.
    ///
    /// ```swift
    /// cache.limit(Book.self, .count(1_000), staleAfter: .after(.seconds(60)))
    /// ```
    ///
    /// - Parameter lifetime: The time for which a value is fresh, greater than zero. For the
    ///   response of a request, it may be zero: the response is then stale at once.
    public static func after(_ lifetime: Duration) -> CacheStaleness {
        precondition(lifetime >= .zero, "Values cannot stay fresh for \(lifetime): give some time.")
        return CacheStaleness(rule: .afterWrite(lifetime))
    }

    /// Makes values stale a number of seconds after they were last stored.
    ///
    /// ```swift
    /// cache.limit(Book.self, staleAfter: .seconds(60))
    /// ```
    ///
    /// For a variable of an integer type, write `.after(.seconds(count))`.
    ///
    /// - Parameter seconds: The number of seconds, greater than zero.
    public static func seconds(_ seconds: Double) -> CacheStaleness { after(.seconds(seconds)) }

    /// Makes values stale a number of milliseconds after they were last stored.
    ///
    /// - Parameter milliseconds: The number of milliseconds, greater than zero.
    public static func milliseconds(_ milliseconds: Double) -> CacheStaleness {
        after(.milliseconds(milliseconds))
    }

    /// Makes each value stale at its own instant, such as the end of the lifetime that a server has
    /// sent with it.
    ///
    /// ```swift
    /// struct Offer: CacheEntity {
    ///     let id: Int
    ///     var reload: ContinuousClock.Instant?
    /// }
    ///
    /// cache.limit(Offer.self, staleAfter: .at(\.reload))
    /// ```
    ///
    /// ## Concurrency
    /// Each commit that stores a value calls the closure once, on the writing thread.
    /// ``Cache/limit(_:_:staleAfter:expires:)`` calls it for the existing values, on the calling
    /// thread. Both call it under the writers' lock: the closure may read the cache but not change
    /// it.
    ///
    /// - Parameter date: A closure that returns the instant of the cache's clock at which a value
    ///   becomes stale, or `nil` if the value remains fresh. If the instant has already passed, the
    ///   value is stale at once. Instants of another clock's type are a programmer error:
    ///   configuring a cache with them traps.
    public static func at<Instant: InstantProtocol>(
        _ date: @escaping @Sendable (Value) -> Instant?
    ) -> CacheStaleness where Instant.Duration == Duration {
        CacheStaleness(rule: .at(OwnTime(date)))
    }
}
