import FlatCache

/// A package of a software distribution, which refers to the packages that it depends on.
struct SoftwarePackage: Identifiable, Sendable, HasCachedRelationships {
    let id: String
    var version: String
    var dependencies: [Related<SoftwarePackage>]

    var relatedCacheKeys: Set<CacheKey> { Set(dependencies.map(\.cacheKey)) }
}
