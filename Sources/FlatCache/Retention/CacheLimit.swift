/// How much of a type a cache keeps.
///
/// Give it to ``CacheConfiguration/limit(_:_:expires:)`` or ``Cache/limit(_:_:expires:)``:
///
/// ```swift
/// var configuration = CacheConfiguration()
/// configuration.limit(Book.self, .count(1_000), expires: .afterWrite(.seconds(600)))
/// configuration.limit(Author.self, .cost(1_000_000, of: { $0.name.utf8.count }))
/// let cache = Cache(configuration: configuration)
/// ```
///
/// When a commit inserts values, or makes some more expensive, and leaves more than that, some of
/// those go that have not been read for long, as part of the same commit. What the commit itself
/// has stored stays, unless that alone is too much. What is observed, what an observation reaches
/// over relationships, and what is pinned never goes, even if there is then more than the limit.
///
/// Which ones go is decided by SIEVE (Zhang et al., "SIEVE is Simpler than LRU: an Efficient
/// Turn-Key Eviction Algorithm for Web Caches", 2024), with a bound on the work for each write: the
/// hand passes over 64 values at most that have been read before it takes one all the same, and
/// looks at few for each value that is written. If these are not enough, the commits that follow go
/// on.
public struct CacheLimit<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    /// The greatest sum of what the values cost.
    let limit: Int
    /// What a value costs; one if there is no function.
    let cost: (@Sendable (Value) -> Int)?

    /// Keeps all values.
    public static var forever: CacheLimit { CacheLimit(limit: .max, cost: nil) }

    /// Keeps a number of values.
    ///
    /// - Parameter limit: How many, zero or more.
    public static func count(_ limit: Int) -> CacheLimit {
        precondition(limit >= 0, "A cache cannot keep \(limit) values: give zero or more.")
        return CacheLimit(limit: limit, cost: nil)
    }

    /// Keeps values that don't cost more than something together.
    ///
    /// A value that alone costs more than the total does not stay, and makes no others go. One that
    /// costs as much as a great many others may take several commits to make room for.
    ///
    /// ## Concurrency
    /// The function is called once by each commit that stores the value, on the thread that writes,
    /// and for what is there already on the one that calls ``Cache/limit(_:_:expires:)``; under
    /// the writers' lock: the cache may be read there but not changed.
    ///
    /// - Parameters:
    ///   - total: The greatest sum of costs, zero or more, in whatever unit the costs are.
    ///   - cost: What a value costs, such as its size in bytes. Less than zero is a programmer's
    ///     error and traps.
    public static func cost(
        _ total: Int,
        of cost: @escaping @Sendable (Value) -> Int
    ) -> CacheLimit {
        precondition(total >= 0, "Values cannot cost \(total) together: give zero or more.")
        return CacheLimit(limit: total, cost: cost)
    }
}
