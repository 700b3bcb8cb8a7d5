extension QueryPlan {
    /// Returns the definition of a result whose rows are aggregated.
    ///
    /// - Parameters:
    ///   - isGrouped: A Boolean value that indicates whether the rows are ordered by their keys
    ///     first, and then as in the query.
    ///   - key: A closure that returns the key of a value's group, or `nil`.
    @inlinable
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
}
