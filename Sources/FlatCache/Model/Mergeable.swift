/// A value that combines with a newer, possibly partial, version of itself.
///
/// Different endpoints answer with different parts of one entity: a list has titles, a detail page
/// has the rest. A `Mergeable` value that is set where one is stored already is combined with it,
/// so that nothing known is lost:
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
/// The cache uses the conformance on the thread that writes, so it can't be isolated to an actor: the
/// compiler rejects a `@MainActor` one. In a module that is isolated to the main actor by default,
/// write `nonisolated extension`.
///
/// A cache finds the conformance at run time, once per type. A value is merged also when it arrives
/// through a generic function that knows it as `Identifiable` only, through a handle, or in a
/// batch.
public protocol Mergeable: Sendable {
    /// Returns the combination of this value, which is stored, with one that has just arrived.
    ///
    /// The result must have the identifier of this value.
    ///
    /// ## Concurrency
    /// The cache calls this on the writing thread, under the writers' lock. Reading the cache is
    /// allowed and shows the state before the write; writing to it, observing and pruning trap.
    ///
    /// - Parameter other: The incoming value.
    func merged(with other: Self) -> Self
}

extension Mergeable {
    /// Combines this value with one that has just arrived, in place.
    ///
    /// - Parameter other: The incoming value.
    public mutating func merge(with other: Self) {
        self = merged(with: other)
    }
}
