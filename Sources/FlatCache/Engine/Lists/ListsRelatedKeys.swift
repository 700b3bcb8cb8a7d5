/// The stored state of a list, which refers to its elements.
@usableFromInline
protocol ListsRelatedKeys {
    /// The keys that the list refers to, each once.
    ///
    /// Unlike a set, an array of many keys takes hardly any time to build.
    var listedCacheKeys: [CacheKey] { get }
}
