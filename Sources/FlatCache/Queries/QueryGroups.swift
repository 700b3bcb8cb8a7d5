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
/// itself, belong to no group.
///
/// The object keeps the dictionary that it last returned. If at most one commit has changed the
/// groups since, the next read updates only the groups that the commit has changed.
public final class QueryGroups<Key: Hashable & Sendable, Value: Equatable & Sendable>:
    CachedProjection<[Key: Value]>, @unchecked Sendable
{
    // The properties are constant and `Sendable`.

    private let readValue: @Sendable (Key) -> Value?
    private let addObservation:
        @Sendable (CacheDelivery, @escaping @Sendable (QueryGroupsChange<Key, Value>) -> Void) ->
            Disposable

    init<Element>(
        _ groups: LiveProjection<Element, GroupMember<Key, Value>, [Key: Value]>,
        _ steps: GroupSteps<Element.ID, Key, Value>
    ) {
        let live = groups.live
        let window = live.definition.window
        readValue = { key in
            live.read(in: groups.core) { steps.value($0.rows, key, window) } ?? nil
        }
        addObservation = { delivery, body in
            live.observeChanges(in: groups.core, delivery: delivery) { transition, version in
                let change = QueryGroupsChange(transition, steps, version: version)
                if transition.hasMissedCommits || !change.changedKeys.isEmpty { body(change) }
            }
        }
        super.init(groups)
    }

    /// The aggregate of a group, or `nil` if there is no such group.
    ///
    /// - Parameter key: The key of the group.
    /// - Complexity: O(log *n*) in the number of elements, if the groups are current. Otherwise,
    ///   the query runs. With a window, O(*m*) for its *m* elements.
    public subscript(key: Key) -> Value? { readValue(key) }

    /// Calls a closure with each change to the groups.
    ///
    /// See ``CachedQuery/observeChanges(delivery:_:)``.
    ///
    /// ## Concurrency
    /// See ``Cache/observeChanges(_:id:initial:following:delivery:_:)``.
    ///
    /// - Parameters:
    ///   - delivery: The delivery of the calls.
    ///   - body: A closure that receives each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: O(log *n*) for each changed group. The first observation runs the query.
    public func observeChanges(
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (QueryGroupsChange<Key, Value>) -> Void
    ) -> Disposable {
        addObservation(delivery, body)
    }

    /// Calls a closure on the calling actor with each change to the groups.
    ///
    /// ## Concurrency
    /// See ``Cached/observe(isolation:initial:following:_:)``.
    ///
    /// - Parameters:
    ///   - actor: The actor to which the caller is isolated: `#isolation`.
    ///   - body: A closure that receives each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: As for ``observeChanges(delivery:_:)``.
    public func observeChanges(
        isolation actor: isolated (any Actor)?,
        _ body: @escaping (QueryGroupsChange<Key, Value>) -> Void
    ) -> Disposable {
        let body = IsolatedBody(of: actor, body)
        return observeChanges(
            delivery: .isolated(toCaller: actor, of: "observeChanges(isolation:…)")
        ) { body($0) }
    }

    /// A sequence of all changes to the groups, in commit order.
    ///
    /// See ``changes(buffering:)``.
    public var changes: CacheSequence<QueryGroupsChange<Key, Value>> { changes() }

    /// Returns a sequence of all changes to the groups, in commit order.
    ///
    /// - Parameter policy: The policy that buffers changes for a consumer that is slower than the
    ///   commits. With `.unbounded`, the consumer misses no change.
    public func changes(
        buffering policy: BufferingPolicy = .unbounded
    ) -> CacheSequence<QueryGroupsChange<Key, Value>> {
        CacheSequence(policy) { [self] sender in observeChanges { sender.send(.known($0)) } }
    }
}
