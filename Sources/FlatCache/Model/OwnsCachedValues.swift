/// A value that owns other values, which the cache removes together with it.
///
/// ```swift
/// struct OrderLine: Identifiable, Sendable {
///     let id: Int
///     var text: String
/// }
///
/// struct Order: Identifiable, OwnsCachedValues, Sendable {
///     let id: Int
///     var lines: [Related<OrderLine>]
///
///     var ownedCacheKeys: Set<CacheKey> { Set(lines.map(\.cacheKey)) }
/// }
/// ```
///
/// When such a value is removed for any reason, the cache also removes the values that it owns, and
/// the values that these own in turn, in the same commit and for the same reason. If the owner is
/// evicted, expires or is pruned, the cache keeps owned values that are in use: observed, reached
/// by an observation, or pinned. Pruning disregards pins by lists and aliases. If the owner is
/// removed explicitly, the owned values are removed in any case.
///
/// The cache doesn't count owners: a value with several owners is removed together with the first
/// of them. Storing an owner again with fewer owned values removes nothing.
///
/// Owning and referring are independent. A type that does both also conforms to
/// ``HasCachedRelationships``. If a type doesn't conform to `OwnsCachedValues`, removing its values
/// keeps the entities that they refer to.
///
/// ## Concurrency
/// The thread that removes the value reads the keys, under the writers' lock. Inside the property,
/// the cache may be read but not changed.
public protocol OwnsCachedValues: Sendable {
    /// The keys of the entities that this value owns.
    var ownedCacheKeys: Set<CacheKey> { get }
}
