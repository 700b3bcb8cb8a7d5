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
/// same commit evicts values that haven't been read for long. The values that the commit itself has
/// stored stay, unless they alone exceed the limit. Values that are observed, reached by an
/// observation, or pinned are never evicted, even if the limit stays exceeded.
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
    /// A value that alone costs more than the limit doesn't stay, and evicts no other values.
    /// Several commits may be needed to make room for a value that costs as much as many others
    /// together.
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
