/// The stored state of a list, an alias or a query, which protects its entities from eviction.
@usableFromInline
protocol PinsEntities {
    var pinnedCacheKeys: Set<CacheKey> { get }
}
