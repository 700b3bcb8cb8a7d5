/// The changes that one commit made to the entities of a type.
///
/// ```swift
/// let observation = cache.observeAll(Book.self) { changes in
///     print("\(changes.inserted.count) new books in commit \(changes.version)")
/// }
/// observation.dispose()
/// ```
public struct TypeChanges<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    /// One change for each changed entity, in the order in which the commit first wrote to them.
    ///
    /// ```swift
    /// let observation = cache.observeAll(Book.self) { commit in
    ///     for change in commit.changes { print(change.id, change.kind) }
    /// }
    /// ```
    ///
    /// The kind of a change is `.inserted`, `.updated`, `.removed` or `.becameStale`, and its only
    /// cause is the entity itself.
    public let changes: [EntityChange<Value>]
    /// The number of the commit.
    public let version: UInt64

    init(_ changes: [EntityChange<Value>], version: UInt64) {
        self.changes = changes
        self.version = version
    }

    /// The changes of inserted entities.
    ///
    /// - Complexity: O(*n*) in the number of changes.
    public var inserted: [EntityChange<Value>] { changes.filter { $0.kind == .inserted } }

    /// The changes of entities with a different value than before, or whose stale value was stored
    /// again.
    ///
    /// - Complexity: O(*n*) in the number of changes.
    public var updated: [EntityChange<Value>] { changes.filter { $0.kind == .updated } }

    /// The changes of removed entities.
    ///
    /// - Complexity: O(*n*) in the number of changes.
    public var removed: [EntityChange<Value>] { changes.filter { $0.kind.isRemoval } }
}

extension TypeChanges: Equatable where Value: Equatable {}
