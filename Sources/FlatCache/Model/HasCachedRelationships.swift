/// A value that refers to other entities of the cache by their keys.
///
/// Observers of such a value hear also of changes to what it refers to, at any depth, in cycles
/// too.
///
/// ```swift
/// struct Book: Identifiable, Sendable, HasCachedRelationships {
///     let id: Int
///     var title: String
///     var author: Related<Author>
///
///     var relatedCacheKeys: Set<CacheKey> { [author.cacheKey] }
/// }
/// ```
///
/// The cache uses the conformance on the thread that writes, so it can't be isolated to an actor: the
/// compiler rejects a `@MainActor` one. In a module that is isolated to the main actor by default,
/// write `nonisolated extension`.
///
/// Only values that an observation reaches are ever asked, so the relationships of everything else
/// cost nothing.
public protocol HasCachedRelationships: Sendable {
    /// The keys of the entities that this value refers to directly.
    ///
    /// Must depend on the value alone, so that equal values have equal keys. A key may name what is
    /// not in the cache yet, or the value itself.
    ///
    /// ## Concurrency
    /// The cache asks on the thread that writes or observes, under the writers' lock. Reading the
    /// cache is allowed and shows the state before the write; writing to it, observing and pruning
    /// trap.
    var relatedCacheKeys: Set<CacheKey> { get }
}
