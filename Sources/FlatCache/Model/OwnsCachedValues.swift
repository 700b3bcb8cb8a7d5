/// A value that other values belong to, so that they go when it does.
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
/// When such a value is removed, for whatever reason, so are the values that it owns, and what
/// those own, in the same commit and for the same reason. What has been evicted, has expired or has
/// been pruned does not take along what is still in use: observed, reached by an observation, or
/// pinned. What has been removed explicitly does.
///
/// Owners are not counted: what several own goes with the first of them. A value that is stored
/// anew and owns less than before removes nothing.
///
/// To refer to something and own it are two things: a type that does both is ``HasCachedRelationships``,
/// too. Values of types that don't conform leave what they refer to.
///
/// ## Concurrency
/// The keys are asked for by the thread that removes the value, under the writers' lock: the cache may be
/// read there but not changed.
public protocol OwnsCachedValues: Sendable {
    /// The keys of what belongs to this value.
    var ownedCacheKeys: Set<CacheKey> { get }
}
