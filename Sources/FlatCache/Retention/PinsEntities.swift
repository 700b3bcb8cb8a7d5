/// A name that keeps what it stands for from being evicted: a list or an alias.
@usableFromInline
protocol PinsEntities {
    var pinnedCacheKeys: Set<CacheKey> { get }
}
