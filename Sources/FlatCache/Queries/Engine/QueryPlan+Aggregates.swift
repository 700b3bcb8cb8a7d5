extension QueryPlan {
    /// Returns the definition of a result whose rows are aggregated.
    ///
    /// - Parameters:
    ///   - isGrouped: `true` if the rows are ordered by their keys first, and then as in the query.
    ///   - key: A closure that returns the key of a value's group, or `nil`.
    @usableFromInline
    func definition<Key: Hashable & Sendable, Value: Equatable & Sendable>(
        _ aggregate: QueryAggregate<Element, Value>,
        isGrouped: Bool,
        usesReader: Bool,
        key: @escaping @Sendable (Element, QueryReader) -> Key?
    ) -> QueryDefinition<Element, GroupMember<Key, Value>> {
        typealias Member = GroupMember<Key, Value>
        let group: @Sendable (Member) -> QuerySortKey = { QuerySortKey(grouping: $0.key) }
        return definition(
            groupedBy: isGrouped ? group : nil,
            usesReader: usesReader || aggregate.usesReader,
            payload: { value, reader in
                Member(key: key(value, reader), value: aggregate.value(value, reader))
            },
            isUpdated: { old, new, _ in
                old.key != new.key || !Member.areSame(old.value, new.value)
            },
            combining: aggregate.combine
        )
    }

    /// Returns the definition of a result that has a row for each group of an element, ordered by
    /// the groups first.
    @usableFromInline
    func definition<Key: Hashable & Sendable, Value: Equatable & Sendable>(
        _ aggregate: QueryAggregate<Element, Value>,
        groupedBy keys: QueryKeys<Element, Key>
    ) -> QueryDefinition<Element, GroupMember<Key, Value>> {
        typealias Member = GroupMember<Key, Value>
        return definition(
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
                        payload: Member(key: key, value: aggregated)
                    )
                    QueryRow.append(row, to: &rows, from: first)
                }
                QueryRow.removeDuplicates(from: first, of: &rows)
            },
            isUpdated: { old, new, _ in
                old.key != new.key || !Member.areSame(old.value, new.value)
            },
            usesReader: keys.usesReader || aggregate.usesReader,
            combining: aggregate.combine,
            steps: QuerySteps()
        )
    }

    /// Returns the definition of a result that has a row for each element, with its groups, in the
    /// order of the query.
    @usableFromInline
    func definition<Key: Hashable & Sendable, Value: Equatable & Sendable>(
        _ aggregate: QueryAggregate<Element, Value>,
        inWindowGroupedBy keys: QueryKeys<Element, Key>
    ) -> QueryDefinition<Element, GroupsMember<Key, Value>> {
        definition(
            usesReader: keys.usesReader || aggregate.usesReader,
            payload: { value, reader in
                var found: Set<Key> = []
                keys.forEachKey(value, reader) { key in
                    if key == key { found.insert(key) }
                }
                return GroupsMember(keys: found, value: aggregate.value(value, reader))
            },
            isUpdated: { old, new, _ in
                old.keys != new.keys || !GroupMember<Key, Value>.areSame(old.value, new.value)
            },
            combining: aggregate.combine
        )
    }
}
