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
