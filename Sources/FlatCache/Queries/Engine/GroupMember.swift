/// The payload of rows that are combined, in groups or all together.
@usableFromInline
struct GroupMember<Key: Hashable & Sendable, Value: Sendable>: QueryPayload {
    @usableFromInline typealias Summary = Value?
    @usableFromInline typealias Combining = @Sendable (Value, Value) -> Value

    /// The key of the group, or `nil` if the row belongs to none.
    @usableFromInline let key: Key?
    /// The value, or `nil` if the row has none.
    @usableFromInline let value: Value?

    /// Creates the payload of a row.
    ///
    /// A key that doesn't equal itself, as NaN doesn't, can't be the key of a group, since no other
    /// key is equal to it.
    @usableFromInline
    init(key: Key?, value: Value?) {
        self.key = key?.ifEqualToItself
        self.value = value
    }

    @usableFromInline static var emptySummary: Value? { nil }
    @usableFromInline static func summary(of payload: GroupMember) -> Value? { payload.value }

    @usableFromInline
    static func combine(_ first: Value?, _ second: Value?, _ combine: Combining) -> Value? {
        guard let first else { return second }
        return second.map { combine(first, $0) } ?? first
    }
}

extension GroupMember where Value: Equatable {
    /// Returns whether two values are equal, or both are NaN.
    ///
    /// Other values that don't equal themselves may differ in a part that isn't NaN.
    @usableFromInline
    static func areSame(_ first: Value?, _ second: Value?) -> Bool {
        if first == second { return true }
        guard let first, let second, first != first, second != second else { return false }
        return first is any FloatingPoint
    }

    /// Returns the groups that differ between two dictionaries, with the new aggregates, or `nil`
    /// for a group without values.
    @usableFromInline
    static func changes(from old: [Key: Value], to new: [Key: Value]) -> [Key: Value?] {
        var changed: [Key: Value?] = [:]
        for key in Set(old.keys).union(new.keys) where !areSame(old[key], new[key]) {
            changed.updateValue(new[key], forKey: key)
        }
        return changed
    }
}

extension Equatable {
    /// The value, or `nil` if it doesn't equal itself.
    @usableFromInline var ifEqualToItself: Self? { self == self ? self : nil }
}

/// The payload of rows that belong to any number of groups, in the order of the query.
@usableFromInline
struct GroupsMember<Key: Hashable & Sendable, Value: Sendable>: QueryPayload {
    @usableFromInline typealias Summary = NoSummary
    @usableFromInline typealias Combining = @Sendable (Value, Value) -> Value

    /// The keys of the groups, without keys that don't equal themselves.
    @usableFromInline let keys: Set<Key>
    /// The value, or `nil` if the row has none.
    @usableFromInline let value: Value?

    @usableFromInline
    init(keys: Set<Key>, value: Value?) {
        self.keys = keys
        self.value = value
    }
}

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

    @usableFromInline let values: @Sendable (Rows, QueryWindow) -> [Key: Value]
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
