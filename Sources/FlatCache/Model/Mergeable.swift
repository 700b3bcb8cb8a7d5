/// A value that can be merged with a newer, possibly partial value of the same entity.
///
/// Different endpoints often return different parts of one entity: a list contains titles, a detail
/// page contains the rest. When a `Mergeable` value is set for an entity that has a value, the
/// cache merges the two, so that no known property is lost:
///
/// ```swift
/// struct Book: Identifiable, Sendable, Mergeable {
///     let id: Int
///     var title: String
///     var year: Int?
///
///     func merged(with other: Book) -> Book {
///         Book(id: id, title: other.title, year: other.year ?? year)
///     }
/// }
/// ```
///
/// The cache uses the conformance on the writing thread, so it can't be isolated to an actor: the
/// compiler rejects a `@MainActor` conformance. In a module that is isolated to the main actor by
/// default, adopt ``CacheEntity``, `Mergeable` or ``HasCachedRelationships`` in the model's own
/// declaration. The type is then nonisolated, and so are its conformances in extensions: see
/// <doc:Concurrency#In-a-module-isolated-to-the-main-actor>.
///
/// The macro `@Mergeable` of the trait `Macros` writes the method.
///
/// The cache finds the conformance at run time, once per type. It also merges values that it
/// receives through a handle, in a batch, or from a generic function that knows them only as
/// `Identifiable`.
public protocol Mergeable: Sendable {
    /// Returns the combination of this value and a newer value.
    ///
    /// The result must have the identifier of this value.
    ///
    /// ## Concurrency
    /// The cache calls this method on the writing thread, under the writers' lock. Inside the
    /// method, reading the cache is allowed and shows the state before the write. Writing,
    /// observing, pinning and pruning are programmer errors and trap.
    ///
    /// - Parameter other: The newer value, usually the incoming one.
    func merged(with other: Self) -> Self
}

extension Mergeable {
    /// Merges a newer value into this value.
    ///
    /// ```swift
    /// var known = Book(id: 1, title: "Tehanu", year: 1990)
    /// known.merge(with: Book(id: 1, title: "Tehanu: The Last Book of Earthsea"))
    /// print(known.year ?? 0)  // 1990
    /// ```
    ///
    /// - Parameter other: The newer value.
    public mutating func merge(with other: Self) {
        self = merged(with: other)
    }
}
