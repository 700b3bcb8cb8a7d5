/// The stored state of a list or an alias, which protects its entities from eviction.
@usableFromInline
protocol PinsEntities {
    var pinnedCacheKeys: Set<CacheKey> { get }
}
