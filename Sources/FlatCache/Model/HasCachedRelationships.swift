/// A value that refers to other entities of the cache by their keys.
///
/// Observers of such a value are also notified of changes to the entities that it refers to, at any
/// depth and through cycles.
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
/// The cache uses the conformance on any thread, so it can't be isolated to an actor: the compiler
/// rejects a `@MainActor` conformance. In a module that is isolated to the main actor by default,
/// adopt ``CacheEntity``, ``Mergeable`` or `HasCachedRelationships` in the model's own declaration.
/// The type is then nonisolated, and so are its conformances in extensions: see
/// <doc:Concurrency#In-a-module-isolated-to-the-main-actor>.
///
/// The macro `@CachedRelationships` of the trait `Macros` writes the property.
///
/// The cache reads only the relationships of values that an observation reaches, so the
/// relationships of all other values cost nothing.
public protocol HasCachedRelationships: Sendable {
    /// The keys of the entities that this value refers to directly.
    ///
    /// The keys must depend on the value alone, so that equal values have equal keys. A key may
    /// belong to an entity that isn't in the cache yet, or to the value itself.
    ///
    /// ## Concurrency
    /// The cache may read this property on any thread, under the writers' lock. Inside the
    /// property, reading the cache is allowed and shows the state before the write. Writing,
    /// observing, pinning and pruning are programmer errors and trap.
    var relatedCacheKeys: Set<CacheKey> { get }
}
