// These methods compute the aggregates of groups. If the window shows all rows, the rows of each
// group are adjacent, and rows without a group come last. Otherwise, the rows are in the order of
// the query.
extension QueryRows {
    /// The maximum number of rows in a group whose rows are combined one by one.
    ///
    /// In a larger group, the nodes of the tree contain the combined values of many rows each, and
    /// only these are combined.
    @usableFromInline static var countOfSingleRows: Int { 16 }

    @usableFromInline
    func groups<Key, Value>(in window: QueryWindow) -> [Key: Value]
    where Payload == GroupMember<Key, Value> {
        window.isEverything ? adjacentGroups() : scatteredGroups(in: window)
    }

    @usableFromInline
    func scatteredGroups<Key, Value>(in window: QueryWindow) -> [Key: Value]
    where Payload == GroupMember<Key, Value> {
        var groups: [Key: Value] = [:]
        forEach(in: window.positions(of: count)) { row in
            guard let key = row.payload.key else { return }
            groups[key] = tree.order.combine(groups[key], row.payload.value)
        }
        return groups
    }

    @usableFromInline
    func scatteredGroups<Key, Value>(in window: QueryWindow) -> [Key: Value]
    where Payload == GroupsMember<Key, Value> {
        var groups: [Key: Value] = [:]
        let combining = tree.order.combining
        forEach(in: window.positions(of: count)) { row in
            for key in row.payload.keys {
                groups[key] = GroupMember<Key, Value>
                    .combine(groups[key], row.payload.value, combining)
            }
        }
        return groups
    }

    @usableFromInline
    func adjacentGroups<Key, Value>() -> [Key: Value]
    where Payload == GroupMember<Key, Value> {
        var groups: [Key: Value] = [:]
        var start = 0
        var key: Key?
        var summary: Value?
        while start < count {
            var position = start
            for row in tree.elements(in: start..<count) {
                if position == start || row.payload.key != key {
                    if let key { groups[key] = summary }
                    guard let next = row.payload.key else { return groups }
                    (key, summary, start) = (next, nil, position)
                }
                if position - start == Self.countOfSingleRows {
                    let group = positions(ofGroupAt: row.key)
                    summary = self.summary(of: group)
                    position = group.upperBound
                    break
                }
                summary = tree.order.combine(summary, row.payload.value)
                position += 1
            }
            if let key { groups[key] = summary }
            (key, start) = (nil, position)
        }
        return groups
    }

    @usableFromInline
    func value<Key, Value>(ofGroup key: Key, in window: QueryWindow) -> Value?
    where Payload == GroupMember<Key, Value> {
        window.isEverything
            ? value(ofGroupAt: QuerySortKey(grouping: key)) : scatteredGroups(in: window)[key]
    }

    /// Returns the aggregate of the adjacent rows that have the first key of a row.
    @usableFromInline
    func value(ofGroupAt key: QuerySortKey) -> Payload.Summary {
        summary(of: positions(ofGroupAt: key))
    }

    @usableFromInline
    func positions(ofGroupAt key: QuerySortKey) -> Range<Int> {
        let start = position { QuerySortKey.compareFirst($0.key, key) >= 0 }
        return start..<position { QuerySortKey.compareFirst($0.key, key) > 0 }
    }

    /// Returns the groups whose aggregates have changed, with the new aggregates, or `nil` for a
    /// group without values.
    ///
    /// - Parameters:
    ///   - old: The rows before the commit.
    ///   - changes: The changes between the two, or `nil` if they are unknown.
    /// - Complexity: O(*k* log *n*) for *k* changed rows of *n*. With a window, O(*n*) in its size.
    @usableFromInline
    func changedGroups<Key, Value: Equatable>(
        from old: QueryRows,
        _ changes: QueryRowChanges<ID, Payload>?,
        in window: QueryWindow
    ) -> [Key: Value?] where Payload == GroupMember<Key, Value> {
        guard window.isEverything, let changes else {
            return Payload.changes(from: old.groups(in: window), to: groups(in: window))
        }
        var changed: [Key: Value?] = [:]
        var seen: Set<Key> = []
        for rows in [changes.removed, changes.inserted] {
            for row in rows {
                guard let key = row.payload.key, seen.insert(key).inserted else { continue }
                let value = value(ofGroupAt: row.key)
                if Payload.areSame(old.value(ofGroupAt: row.key), value) { continue }
                changed.updateValue(value, forKey: key)
            }
        }
        return changed
    }
}
