extension CachedQuery {
    /// Returns a projection of the elements to an aggregate, or to `nil` if there are no values.
    ///
    /// After `limit` or `offset`, the aggregate covers only the elements of the window.
    ///
    /// ```swift
    /// let latest = cache.query(Book.self).aggregate(.max(of: \.year))
    /// ```
    ///
    /// - Parameter aggregate: The aggregate.
    /// - Complexity: O(log *n*) for each change and each read of a current result.
    @inlinable
    public func aggregate<Value: Equatable & Sendable>(
        _ aggregate: QueryAggregate<Element, Value>
    ) -> CachedProjection<Value?, ValueChange<Value?>> {
        let definition = plan.definition(
            aggregate,
            isGrouped: false,
            usesReader: false,
            key: { _, _ -> Int? in nil }
        )
        return aggregated(definition)
    }

    @usableFromInline
    func aggregated<Value: Equatable & Sendable>(
        _ definition: QueryDefinition<Element, GroupMember<Int, Value>>
    ) -> CachedProjection<Value?, ValueChange<Value?>> {
        let projection = projection(
            definition,
            isChanged: { transition in
                !GroupMember<Int, Value>.areSame(
                    transition.old.summary(of: transition.oldShown),
                    transition.new.summary(of: transition.shown)
                )
            },
            { result in result.rows.summary(of: result.shown) }
        )
        return projection.projection { $0.summary(of: $1) }
    }

    /// Returns an aggregate of the elements for each key.
    ///
    /// ```swift
    /// let copies = cache.query(Book.self).aggregate(.sum(of: \.copies), by: \.author)
    /// print(copies[Related("le-guin")] ?? 0)
    /// ```
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its argument alone. If it writes to the cache, the process traps.
    ///
    /// - Parameters:
    ///   - aggregate: The aggregate.
    ///   - key: A closure that returns the key of a value, or `nil` to leave the element out.
    /// - Complexity: O(log *n*) for each changed group, in a commit and in a read of the
    ///   dictionary. The first read of a current result takes O(*g* log *n*) for *g* groups. With a
    ///   window, a commit and a read take O(*m*) for its *m* elements: they're in the order of the
    ///   query, so the elements of a group aren't adjacent, and the value of an element that leaves
    ///   the window can't be subtracted from an aggregate.
    @inlinable
    public func aggregate<Key: Hashable & Sendable, Value: Equatable & Sendable>(
        _ aggregate: QueryAggregate<Element, Value>,
        by key: @escaping @Sendable (Element) -> Key?
    ) -> QueryGroups<Key, Value> {
        groups(aggregate, usesReader: false) { value, _ in key(value) }
    }

    /// Returns an aggregate of the elements for each key that depends on other entities.
    ///
    /// ```swift
    /// let copies = cache.query(Book.self).aggregate(.sum(of: \.copies)) { book, cache in
    ///     book.author.flatMap { cache[$0] }?.name
    /// }
    /// print(copies["Ursula K. Le Guin"] ?? 0)
    /// ```
    ///
    /// See `aggregate(_:by:)` with a closure of one argument.
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its arguments alone, and read the cache only through the second one. If it
    /// writes to the cache, the process traps.
    ///
    /// - Parameters:
    ///   - aggregate: The aggregate.
    ///   - key: A closure that returns the key of a value, or `nil` to leave the element out. It
    ///     may read other entities from its second argument.
    /// - Complexity: As for `aggregate(_:by:)` with a closure of one argument.
    @inlinable
    public func aggregate<Key: Hashable & Sendable, Value: Equatable & Sendable>(
        _ aggregate: QueryAggregate<Element, Value>,
        by key: @escaping @Sendable (Element, QueryReader) -> Key?
    ) -> QueryGroups<Key, Value> {
        groups(aggregate, usesReader: true, key)
    }

    /// Returns an aggregate of the elements for each of their keys.
    ///
    /// The value of an element is part of the aggregate of each of its groups.
    ///
    /// ```swift
    /// let copies = cache.query(Book.self).aggregate(
    ///     .sum(of: \.copies),
    ///     by: .each { $0.title.split(separator: " ") }
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - aggregate: The aggregate.
    ///   - keys: The keys of the elements.
    /// - Complexity: As for `aggregate(_:by:)` with a closure, for each key.
    @inlinable
    public func aggregate<Key: Hashable & Sendable, Value: Equatable & Sendable>(
        _ aggregate: QueryAggregate<Element, Value>,
        by keys: QueryKeys<Element, Key>
    ) -> QueryGroups<Key, Value> {
        if plan.window.isEverything {
            return grouped(plan.definition(aggregate, groupedBy: keys), GroupSteps())
        }
        // A window contains elements rather than their groups, so each element has one row.
        return grouped(plan.definition(aggregate, inWindowGroupedBy: keys), GroupSteps())
    }

    @inlinable
    func groups<Key: Hashable & Sendable, Value: Equatable & Sendable>(
        _ aggregate: QueryAggregate<Element, Value>,
        usesReader: Bool,
        _ key: @escaping @Sendable (Element, QueryReader) -> Key?
    ) -> QueryGroups<Key, Value> {
        let definition = plan.definition(
            aggregate,
            // The groups of a window are computed from its rows, whose order the query determines.
            isGrouped: plan.window.isEverything,
            usesReader: usesReader,
            key: key
        )
        return grouped(definition, GroupSteps())
    }

    @usableFromInline
    func grouped<Key: Hashable & Sendable, Value: Equatable & Sendable, Payload: QueryPayload>(
        _ definition: QueryDefinition<Element, Payload>,
        _ steps: GroupSteps<Element.ID, Key, Value, Payload>
    ) -> QueryGroups<Key, Value> {
        let window = plan.window
        let latest = LatestOutput<Element, Payload, [Key: Value]>(
            computing: { steps.values($0.rows, window) },
            updating: { groups, transition, _ in
                for (key, value) in steps.changes(in: transition) { groups[key] = value }
            }
        )
        let projection = projection(
            definition,
            isChanged: { !steps.changes(in: $0).isEmpty },
            { latest.output(of: $0) }
        )
        return QueryGroups(projection, steps)
    }
}
