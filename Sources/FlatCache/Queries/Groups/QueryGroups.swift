/// An aggregate for each group of elements of a query that have equal keys, such as their number.
///
/// ```swift
/// let counts = cache.query(Book.self).aggregate(.count, by: \.author)
/// print(counts[Related("le-guin")] ?? 0)
///
/// let observation = counts.observeChanges { change in
///     for author in change.changedKeys { print(author.id, change.value(of: author) ?? 0) }
/// }
/// ```
///
/// The ``CachedProjection/value`` is a dictionary of all groups. A group exists as long as one of
/// its elements has a value. Elements without a key, or with a key such as NaN that doesn't equal
/// itself, belong to no group. With ``QueryGroupKeys``, an element belongs to several groups.
///
/// The object keeps the dictionary that it last returned. If at most one commit has changed the
/// groups since, the next read updates only the groups that the commit has changed.
public final class QueryGroups<Key: Hashable & Sendable, Value: Equatable & Sendable>:
    CachedProjection<[Key: Value], QueryGroupsChange<Key, Value>>, @unchecked Sendable
{
    // The properties are constant and `Sendable`.

    private let readValue: @Sendable (Key) -> Value?

    init<Element, Payload>(
        _ groups: LiveProjection<Element, Payload, [Key: Value]>,
        _ steps: GroupSteps<Element.ID, Key, Value, Payload>
    ) {
        let live = groups.live
        readValue = { key in
            live.read(in: groups.core) { steps.groups($0.rows, [key])[key] } ?? nil
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
    /// - Complexity: O(*n*) in the number of the group's elements at first, and later O(log *n*)
    ///   for each changed one, if the groups are current. Otherwise, the query runs. With a window,
    ///   O(*m*) for its *m* elements.
    public subscript(key: Key) -> Value? { readValue(key) }
}

/// A change that a commit made to the groups of a query.
///
/// ```swift
/// let counts = cache.query(Book.self).aggregate(.count, by: \.author)
/// let observation = counts.observeChanges { change in
///     for author in change.changedKeys {
///         print(author, change.oldValue(of: author) ?? 0, "->", change.value(of: author) ?? 0)
///     }
/// }
/// ```
public struct QueryGroupsChange<Key: Hashable & Sendable, Value: Equatable & Sendable>: Sendable {
    /// The keys of the groups that the commit inserted, updated or removed.
    ///
    /// For example, if books are counted by year and a commit corrects the year of a book from 1968
    /// to 1969, the set contains both years.
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
        changedKeys = steps.changedKeys(in: transition)
        self.version = version
        newValue = { steps.groups(transition.new, [$0])[$0] }
        oldValue = { steps.groups(transition.old, [$0])[$0] }
    }

    /// Returns the aggregate of a group after the commit, or `nil` if there is no such group.
    ///
    /// - Parameter key: The key of the group.
    /// - Complexity: As for the subscript of current groups.
    public func value(of key: Key) -> Value? { newValue(key) }

    /// Returns the aggregate of a group before the commit, or `nil` if there was no such group.
    ///
    /// - Parameter key: The key of the group.
    /// - Complexity: As for ``value(of:)``.
    public func oldValue(of key: Key) -> Value? { oldValue(key) }
}

/// The keys of the groups to which an element of a query belongs: any number of them.
///
/// ```swift
/// let counts = cache.query(Book.self).aggregate(
///     .count,
///     by: .each { $0.title.split(separator: " ") }
/// )
/// print(counts["Earthsea"] ?? 0)
/// ```
///
/// An element belongs to each group once, even if its keys contain equal ones. An element without
/// keys belongs to no group, and keys such as NaN that don't equal themselves are left out.
///
/// For one key per element, pass the closure itself, as in `aggregate(.count, by: \.author)`.
public struct QueryGroupKeys<Element: Identifiable & Sendable, Key: Hashable & Sendable>: Sendable
where Element.ID: Sendable {
    /// A closure that calls another closure with each key of a value.
    let forEachKey: @Sendable (Element, QueryReader, (Key) -> Void) -> Void
    /// `true` if keys may depend on other entities.
    let usesReader: Bool

    init(
        usesReader: Bool,
        forEachKey: @escaping @Sendable (Element, QueryReader, (Key) -> Void) -> Void
    ) {
        self.usesReader = usesReader
        self.forEachKey = forEachKey
    }

    /// Returns the keys that a closure returns for an element.
    ///
    /// For example, a book with two genres belongs to the groups of both.
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its argument alone. If it writes to the cache, the process traps.
    ///
    /// - Parameter keys: A closure that returns the keys of a value.
    public static func each<Keys: Sequence<Key> & Sendable>(
        _ keys: @escaping @Sendable (Element) -> Keys
    ) -> QueryGroupKeys where Keys.Iterator: Sendable {
        QueryGroupKeys(usesReader: false) { value, _, body in
            for key in keys(value) { body(key) }
        }
    }

    /// Returns the keys that a closure returns for an element, and that depend on other entities.
    ///
    /// See `each(_:)` with a closure of one argument.
    ///
    /// ```swift
    /// let counts = cache.query(Book.self).aggregate(.count, by: .each { book, cache in
    ///     [book.author.flatMap { cache[$0] }?.name, book.title].compactMap { $0 }
    /// })
    /// ```
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its arguments alone, and read the cache only through the second one. If it
    /// writes to the cache, the process traps.
    ///
    /// - Parameter keys: A closure that returns the keys of a value. It may read other entities
    ///   from its second argument.
    public static func each<Keys: Sequence<Key> & Sendable>(
        _ keys: @escaping @Sendable (Element, QueryReader) -> Keys
    ) -> QueryGroupKeys where Keys.Iterator: Sendable {
        QueryGroupKeys(usesReader: true) { value, reader, body in
            for key in keys(value, reader) { body(key) }
        }
    }
}
