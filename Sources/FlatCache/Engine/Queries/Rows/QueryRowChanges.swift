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

    /// A Boolean value that indicates whether there are no changes.
    @inlinable var isEmpty: Bool {
        // In code that isn't specialized, `Array.isEmpty` looks up metadata, and `count` doesn't.
        removed.count + inserted.count + updated.count == 0
    }

    /// Removes the changes, but keeps their memory if nothing else refers to it.
    @inlinable
    mutating func removeAll() {
        removed.removeAll(keepingCapacity: true)
        inserted.removeAll(keepingCapacity: true)
        updated.removeAll(keepingCapacity: true)
    }

    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    @usableFromInline
    mutating func sort() {
        Row.sort(&removed)
        Row.sort(&inserted)
    }
}
