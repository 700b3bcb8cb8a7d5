/// The changes that a commit makes to the rows of a result.
@usableFromInline
struct QueryRowChanges<ID: Hashable & Sendable, Payload: QueryPayload>: Sendable {
    @usableFromInline typealias Row = QueryRow<ID, Payload>

    @usableFromInline var removed: [Row] = []
    @usableFromInline var inserted: [Row] = []
    /// The rows that remain and whose values have changed, at their new places.
    @usableFromInline var updated: [Row] = []

    @inlinable
    init() {}

    @inlinable var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && updated.isEmpty }

    /// Removes the changes, but keeps their memory if nothing else refers to it.
    @inlinable
    mutating func removeAll() {
        removed.removeAll(keepingCapacity: true)
        inserted.removeAll(keepingCapacity: true)
        updated.removeAll(keepingCapacity: true)
    }

    @inlinable
    mutating func sort() {
        Row.sort(&removed)
        Row.sort(&inserted)
    }
}
