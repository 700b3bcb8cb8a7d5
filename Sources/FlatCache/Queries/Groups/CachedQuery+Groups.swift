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
    /// - Complexity: O(*n*) for the first read of a current result, and later O(log *n*) for each
    ///   element that has changed since the last read.
    public func aggregate<Value: Equatable & Sendable>(
        _ aggregate: QueryAggregate<Element, Value>
    ) -> CachedProjection<Value?, ValueChange<Value?>> {
        let projection = projection(
            plan.definition(aggregate),
            isChanged: { transition in
                !GroupMember<Never, Value>.areSame(
                    transition.old.summary(of: transition.oldShown),
                    transition.new.summary(of: transition.shown)
                )
            },
            { $0.summary(of: $1) }
        )
        return projection.projection()
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
    /// - Complexity: O(*n*) for the first read of the dictionary, and later O(log *n*) for each
    ///   element that has changed since the last read. With a window, a commit and a read take
    ///   O(*m*) for its *m* elements: they're in the order of the query, so the elements of a group
    ///   aren't adjacent, and the value of an element that leaves the window can't be subtracted
    ///   from an aggregate.
    public func aggregate<Key: Hashable & Sendable, Value: Equatable & Sendable>(
        _ aggregate: QueryAggregate<Element, Value>,
        by key: @escaping @Sendable (Element) -> Key?
    ) -> QueryGroups<Key, Value> {
        self.aggregate(
            aggregate,
            by: QueryGroupKeys(usesReader: false) { value, _, body in key(value).map(body) }
        )
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
    public func aggregate<Key: Hashable & Sendable, Value: Equatable & Sendable>(
        _ aggregate: QueryAggregate<Element, Value>,
        by key: @escaping @Sendable (Element, QueryReader) -> Key?
    ) -> QueryGroups<Key, Value> {
        self.aggregate(
            aggregate,
            by: QueryGroupKeys(usesReader: true) { value, reader, body in
                key(value, reader).map(body)
            }
        )
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
    public func aggregate<Key: Hashable & Sendable, Value: Equatable & Sendable>(
        _ aggregate: QueryAggregate<Element, Value>,
        by keys: QueryGroupKeys<Element, Key>
    ) -> QueryGroups<Key, Value> {
        if plan.window.isEverything {
            return grouped(plan.definition(aggregate, groupedBy: keys), GroupSteps())
        }
        // A window contains elements rather than their groups, so each element has one row.
        let definition = plan.definition(aggregate, inWindowGroupedBy: keys)
        return grouped(definition, GroupSteps(plan.window))
    }

    private func grouped<Key: Hashable & Sendable, Value: Equatable & Sendable, Payload>(
        _ definition: QueryDefinition<Element, Payload>,
        _ steps: GroupSteps<Element.ID, Key, Value, Payload>
    ) -> QueryGroups<Key, Value> {
        let projection = projection(
            definition,
            isChanged: { !steps.changedKeys(in: $0).isEmpty },
            updating: { groups, transition in
                let changed = steps.changedKeys(in: transition)
                let new = steps.groups(transition.new, changed)
                for key in changed { groups[key] = new[key] }
            },
            { rows, _ in steps.groups(rows, nil) }
        )
        return QueryGroups(projection, steps)
    }
}
