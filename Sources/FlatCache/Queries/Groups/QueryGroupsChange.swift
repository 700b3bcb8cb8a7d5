/// A change that a commit made to the groups of a query.
///
/// ```swift
/// let counts = cache.query(Book.self).counts(by: \.author)
/// let observation = counts.observeChanges { change in
///     for author in change.changedKeys {
///         print(author, change.oldValue(of: author) ?? 0, "->", change.value(of: author) ?? 0)
///     }
/// }
/// ```
public struct QueryGroupsChange<Key: Hashable & Sendable, Value: Equatable & Sendable>: Sendable {
    /// The keys of the groups that the commit inserted, updated or removed.
    public let changedKeys: Set<Key>
    /// The number of the commit.
    ///
    /// If an observation begins during the query's first run, its first change includes all commits
    /// from then to the end of the run.
    public let version: UInt64

    private let newValue: @Sendable (Key) -> Value?
    private let oldValue: @Sendable (Key) -> Value?

    init<Element, Payload>(
        _ transition: QueryTransition<Element, Payload>,
        _ steps: GroupSteps<Element.ID, Key, Value, Payload>,
        version: UInt64
    ) {
        changedKeys = Set(steps.changes(in: transition).keys)
        self.version = version
        newValue = { steps.value(transition.new, $0, transition.window) }
        oldValue = { steps.value(transition.old, $0, transition.window) }
    }

    /// Returns the aggregate of a group after the commit, or `nil` if there is no such group.
    ///
    /// - Parameter key: The key of the group.
    /// - Complexity: O(log *n*) in the number of elements. With a window, O(*m*) for its *m*
    ///   elements.
    public func value(of key: Key) -> Value? { newValue(key) }

    /// Returns the aggregate of a group before the commit, or `nil` if there was no such group.
    ///
    /// - Parameter key: The key of the group.
    /// - Complexity: As for ``value(of:)``.
    public func oldValue(of key: Key) -> Value? { oldValue(key) }
}
