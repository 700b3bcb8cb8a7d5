/// A live query of any type, as the deriver of queries knows it.
///
/// The deriver calls all functions under the writers' lock.
protocol AnyLiveQuery: AnyObject, Sendable {
    /// The number that identifies the query and its state.
    var number: UInt64 { get }

    var elementType: Any.Type { get }

    /// Records the changes of rows that have read a changed entity.
    func collectDependents(of key: CacheKey, in derivation: QueryDerivation)

    /// Writes the result of the commit, and forgets the recorded changes.
    func derive(_ commit: inout Commit, in derivation: QueryDerivation)
}

/// A query whose rows are entities of a type.
protocol ElementQuery<Element>: AnyLiveQuery {
    associatedtype Element: Identifiable & Sendable where Element.ID: Sendable

    /// The condition by which a change finds the query, if there is one.
    var routing: (any AnyIndexCondition<Element>)? { get }

    /// Records the changes of entities.
    func collect(_ changes: TableChanges<Element>, in derivation: QueryDerivation)

    /// Returns whether the exchange of a value would change the result.
    func isConcerned(by stored: Element, _ new: Element, _ reading: QueryReaders) -> Bool
}
