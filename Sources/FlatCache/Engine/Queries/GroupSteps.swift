/// The closures that compute the groups of a query.
///
/// They are compiled in the client's module, like `QuerySteps`.
@usableFromInline
struct GroupSteps<ID: Hashable & Sendable, Key: Hashable & Sendable, Value: Equatable & Sendable>:
    Sendable
{
    @usableFromInline typealias Rows = QueryRows<ID, GroupMember<Key, Value>>
    @usableFromInline typealias Changes = QueryRowChanges<ID, GroupMember<Key, Value>>

    /// A closure that returns the aggregates of all groups.
    @usableFromInline let values: @Sendable (Rows, QueryWindow) -> [Key: Value]
    /// A closure that returns the aggregate of a group.
    @usableFromInline let value: @Sendable (Rows, Key, QueryWindow) -> Value?
    /// A closure that returns the groups whose aggregates have changed, with the new aggregates.
    @usableFromInline
    let changes: @Sendable (_ old: Rows, _ new: Rows, Changes?, QueryWindow) -> [Key: Value?]

    @inlinable
    init() {
        values = { $0.groups(in: $1) }
        value = { $0.value(ofGroup: $1, in: $2) }
        changes = { $1.changedGroups(from: $0, $2, in: $3) }
    }

    /// Returns the groups whose aggregates a commit has changed, with the new aggregates.
    func changes<Element>(
        in transition: QueryTransition<Element, GroupMember<Key, Value>>
    ) -> [Key: Value?] where Element.ID == ID {
        changes(transition.old, transition.new, transition.changes, transition.window)
    }
}
