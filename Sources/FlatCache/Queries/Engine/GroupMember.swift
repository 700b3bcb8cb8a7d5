/// The payload of rows that are combined, in groups or all together.
struct GroupMember<Key: Hashable & Sendable, Value: Sendable>: QueryPayload {
    typealias Summary = Value?
    typealias Combining = @Sendable (Value, Value) -> Value

    /// The key of the group, or `nil` if the row belongs to none.
    let key: Key?
    /// The value, or `nil` if the row has none.
    let value: Value?

    static var emptySummary: Value? { nil }
    static func summary(of payload: GroupMember) -> Value? { payload.value }

    static func combine(_ first: Value?, _ second: Value?, _ combine: Combining) -> Value? {
        guard let first else { return second }
        return second.map { combine(first, $0) } ?? first
    }
}

extension GroupMember where Value: Equatable {
    static func isUpdated(_ old: GroupMember, _ new: GroupMember, _: Bool) -> Bool {
        old.key != new.key || !areSame(old.value, new.value)
    }

    /// Returns whether two values are equal, or both are NaN.
    ///
    /// Other values that don't equal themselves may differ in a part that isn't NaN.
    static func areSame(_ first: Value?, _ second: Value?) -> Bool {
        if first == second { return true }
        guard let first, let second, first != first, second != second else { return false }
        return first is any FloatingPoint
    }
}

extension Equatable {
    /// The value, or `nil` if it doesn't equal itself, as NaN doesn't.
    ///
    /// Such a value can't be the key of a group or a section, since no other key is equal to it.
    var ifEqualToItself: Self? { self == self ? self : nil }
}

/// The closures that compute the groups of a query.
///
/// They depend on whether the rows are those of the groups or those of a window.
struct GroupSteps<
    ID: Hashable & Sendable,
    Key: Hashable & Sendable,
    Value: Sendable,
    Payload: QueryPayload
>: Sendable {
    /// A closure that returns the groups with some keys, or all groups if there are no keys.
    let groups: @Sendable (QueryRows<ID, Payload>, Set<Key>?) -> [Key: Value]
    /// A closure that returns the keys of the groups that changes may concern, or `nil` if they may
    /// concern all groups.
    let keys: @Sendable (QueryRowChanges<ID, Payload>) -> Set<Key>?

    /// Returns the keys of the groups whose aggregates a commit has changed.
    func changedKeys<Element>(in transition: QueryTransition<Element, Payload>) -> Set<Key>
    where Element.ID == ID, Value: Equatable {
        let keys = keys(transition.changes)
        let (old, new) = (groups(transition.old, keys), groups(transition.new, keys))
        return Set(old.keys).union(new.keys).filter {
            !GroupMember<Key, Value>.areSame(old[$0], new[$0])
        }
    }
}

extension GroupSteps {
    /// Creates the steps of rows that are ordered by their groups.
    init() where Payload == GroupMember<Key, Value> {
        groups = { $0.groups($1) }
        keys = { Set(($0.removed + $0.inserted).compactMap(\.payload.key)) }
    }

    /// Creates the steps of rows that belong to sets of groups, in the order of the query.
    ///
    /// The value of a row that leaves the window can't be subtracted from an aggregate, so the
    /// groups are computed from all rows of the window.
    init(_ window: QueryWindow) where Payload == GroupMember<Set<Key>, Value> {
        groups = { rows, _ in
            var groups: [Key: Value] = [:]
            rows.forEach(in: window.positions(of: rows.count)) { row in
                for key in row.payload.key ?? [] {
                    groups[key] = Payload.combine(groups[key], row.payload.value, rows.combining)
                }
            }
            return groups
        }
        keys = { _ in nil }
    }
}

extension QueryRows {
    /// Returns the aggregates of the groups with some keys, or of all groups.
    ///
    /// The rows of a group are adjacent.
    fileprivate func groups<Key, Value>(_ keys: Set<Key>?) -> [Key: Value]
    where Payload == GroupMember<Key, Value> {
        var groups: [Key: Value] = [:]
        if let keys {
            for key in keys {
                groups[key] = summary(of: positions(ofFirstKey: QuerySortKey(grouping: key)))
            }
            return groups
        }
        var start = 0
        while start < count {
            let row = self[start]
            let end = positions(ofFirstKey: row.key).upperBound
            if let key = row.payload.key { groups[key] = summary(of: start..<end) }
            start = end
        }
        return groups
    }
}

extension QueryPlan {
    /// Returns the definition of a result whose rows are aggregated all together.
    func definition<Value: Equatable & Sendable>(
        _ aggregate: QueryAggregate<Element, Value>
    ) -> QueryDefinition<Element, GroupMember<Never, Value>> {
        definition(
            usesReader: aggregate.usesReader,
            payload: { GroupMember(key: nil, value: aggregate.value($0, $1)) },
            isUpdated: GroupMember.isUpdated,
            combining: aggregate.combine
        )
    }

    /// Returns the definition of a result that has a row for each group of an element, ordered by
    /// the groups first.
    func definition<Key: Hashable & Sendable, Value: Equatable & Sendable>(
        _ aggregate: QueryAggregate<Element, Value>,
        groupedBy keys: QueryGroupKeys<Element, Key>
    ) -> QueryDefinition<Element, GroupMember<Key, Value>> {
        definition(
            appendRows: { [conditions, orders] value, reader, rows in
                for condition in conditions where !condition(value, reader) { return }
                let order = orders.isEmpty ? nil : Self.sortKey(of: value, reader, by: orders)
                let aggregated = aggregate.value(value, reader)
                let first = rows.count
                keys.forEachKey(value, reader) { key in
                    guard key == key else { return }
                    let group = QuerySortKey(grouping: key)
                    let row = QueryRow(
                        key: order.map { QuerySortKey(group, then: $0) } ?? group,
                        id: value.id,
                        payload: GroupMember(key: key, value: aggregated)
                    )
                    rows.append(row)
                }
                QueryRow.sortAndRemoveDuplicates(from: first, of: &rows)
            },
            isUpdated: GroupMember.isUpdated,
            usesReader: keys.usesReader || aggregate.usesReader,
            combining: aggregate.combine,
            steps: QuerySteps()
        )
    }

    /// Returns the definition of a result that has a row for each element, with its groups, in the
    /// order of the query.
    func definition<Key: Hashable & Sendable, Value: Equatable & Sendable>(
        _ aggregate: QueryAggregate<Element, Value>,
        inWindowGroupedBy keys: QueryGroupKeys<Element, Key>
    ) -> QueryDefinition<Element, GroupMember<Set<Key>, Value>> {
        definition(
            usesReader: keys.usesReader || aggregate.usesReader,
            payload: { value, reader in
                var found: Set<Key> = []
                keys.forEachKey(value, reader) { if $0 == $0 { found.insert($0) } }
                return GroupMember(key: found, value: aggregate.value(value, reader))
            },
            isUpdated: GroupMember.isUpdated,
            combining: aggregate.combine
        )
    }
}
