/// The closures that compute the groups of a query.
///
/// They depend on whether a row belongs to one group or to several.
@usableFromInline
struct GroupSteps<
    ID: Hashable & Sendable,
    Key: Hashable & Sendable,
    Value: Equatable & Sendable,
    Payload: QueryPayload
>: Sendable {
    @usableFromInline typealias Rows = QueryRows<ID, Payload>
    @usableFromInline typealias Changes = QueryRowChanges<ID, Payload>

    /// A closure that returns the aggregates of all groups.
    @usableFromInline let values: @Sendable (Rows, QueryWindow) -> [Key: Value]
    /// A closure that returns the aggregate of a group.
    @usableFromInline let value: @Sendable (Rows, Key, QueryWindow) -> Value?
    /// A closure that returns the groups whose aggregates have changed, with the new aggregates.
    @usableFromInline
    let changes: @Sendable (_ old: Rows, _ new: Rows, Changes?, QueryWindow) -> [Key: Value?]

    /// Creates the steps of rows each of which belongs to one group at most.
    @usableFromInline
    init() where Payload == GroupMember<Key, Value> {
        values = { $0.groups(in: $1) }
        value = { $0.value(ofGroup: $1, in: $2) }
        changes = { $1.changedGroups(from: $0, $2, in: $3) }
    }

    /// Creates the steps of rows that belong to any number of groups.
    @usableFromInline
    init() where Payload == GroupsMember<Key, Value> {
        values = { $0.scatteredGroups(in: $1) }
        value = { $0.scatteredGroups(in: $2)[$1] }
        changes = { old, new, _, window in
            GroupMember.changes(
                from: old.scatteredGroups(in: window),
                to: new.scatteredGroups(in: window)
            )
        }
    }

    /// Returns the groups whose aggregates a commit has changed, with the new aggregates.
    func changes<Element>(in transition: QueryTransition<Element, Payload>) -> [Key: Value?]
    where Element.ID == ID {
        changes(transition.old, transition.new, transition.changes, transition.window)
    }
}
