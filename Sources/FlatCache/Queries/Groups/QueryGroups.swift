/// An aggregate for each group of elements of a query that have equal keys, such as their number.
///
/// ```swift
/// let counts = cache.query(Book.self).counts(by: \.author)
/// print(counts[Related("le-guin")] ?? 0)
///
/// let observation = counts.observeChanges { change in
///     for author in change.changedKeys { print(author.id, change.value(of: author) ?? 0) }
/// }
/// ```
///
/// The ``CachedProjection/value`` is a dictionary of all groups. A group exists as long as one of
/// its elements has a value. Elements without a key, or with a key such as NaN that doesn't equal
/// itself, belong to no group. With ``QueryKeys``, an element belongs to several groups.
///
/// The object keeps the dictionary that it last returned. If at most one commit has changed the
/// groups since, the next read updates only the groups that the commit has changed.
public final class QueryGroups<Key: Hashable & Sendable, Value: Equatable & Sendable>:
    IncrementalProjection<[Key: Value], QueryGroupsChange<Key, Value>>, @unchecked Sendable
{
    // The properties are constant and `Sendable`.

    private let readValue: @Sendable (Key) -> Value?

    init<Element, Payload>(
        _ groups: LiveProjection<Element, Payload, [Key: Value]>,
        _ steps: GroupSteps<Element.ID, Key, Value, Payload>
    ) {
        let live = groups.live
        let window = live.definition.window
        readValue = { key in
            live.read(in: groups.core) { steps.value($0.rows, key, window) } ?? nil
        }
        super.init(groups) { delivery, body in
            live.observeChanges(in: groups.core, delivery: delivery) { transition, version in
                let change = QueryGroupsChange(transition, steps, version: version)
                if transition.hasMissedCommits || !change.changedKeys.isEmpty { body(change) }
            }
        }
    }

    /// The aggregate of a group, or `nil` if there is no such group.
    ///
    /// - Parameter key: The key of the group.
    /// - Complexity: O(log *n*) in the number of elements, if the groups are current. Otherwise,
    ///   the query runs. With a window, O(*m*) for its *m* elements.
    public subscript(key: Key) -> Value? { readValue(key) }
}
