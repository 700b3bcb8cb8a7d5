/// A model value that a cache stores under its type and identifier.
///
/// A cache stores every `Identifiable & Sendable` value. Adopt `CacheEntity` to declare that a type
/// is meant for it:
///
/// ```swift
/// struct Magazine: CacheEntity, Codable, Equatable {
///     let id: Int
///     var title: String
///     var publisher: Related<Publisher>
/// }
/// ```
///
/// The conformance has two effects. An ingest finds results of the type at run time, also in a
/// generic function that knows nothing about its result. And in a module that is isolated to the
/// main actor by default, a conformance in the struct's own declaration makes the type's
/// conformances, extensions and static members nonisolated, so that the cache can use them on any
/// thread. A conformance in an extension doesn't.
///
/// A generic function that takes a `CacheEntity` needs no further constraints:
///
/// ```swift
/// func store(_ entities: [some CacheEntity], in cache: some CacheType) {
///     cache.set(contentsOf: entities)
/// }
/// ```
public protocol CacheEntity: Identifiable, Sendable where ID: Sendable {}

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
    /// For example, a book refers to its author and to its publisher.
    ///
    /// ## Concurrency
    /// The cache may read this property on any thread, under the writers' lock. Inside the
    /// property, reading the cache is allowed and shows the state before the write. Writing,
    /// observing, pinning and pruning are programmer errors and trap.
    var relatedCacheKeys: Set<CacheKey> { get }
}

/// A value that owns other values.
///
/// The cache removes them together with it.
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
