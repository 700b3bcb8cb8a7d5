/// The effect of one commit on an observed entity.
///
/// ```swift
/// let observation = cache.cached(Book.self, id: 1).observeChanges { change in
///     switch change.kind {
///     case .inserted, .updated: print(change.old?.title ?? "", "->", change.new?.title ?? "")
///     case .removed(let reason): print("removed: \(reason)")
///     case .becameStale: print("to be loaded again")
///     case .related: print("changed: \(change.causes)")
///     }
/// }
/// observation.dispose()
/// ```
public struct EntityChange<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    /// The way in which a commit affects an observed entity.
    ///
    /// ```swift
    /// let kind = EntityChange<Book>.Kind.removed(.evicted)
    /// print(kind, kind.isRemoval)  // removed (evicted) true
    /// ```
    public enum Kind: Hashable, Sendable {
        /// The entity has a value, but had none before.
        case inserted
        /// The entity has a different value than before, or a stale value was stored again.
        case updated
        /// The entity's value was removed, for the associated reason.
        case removed(RemovalReason)
        /// The entity's value is unchanged but has become stale: its lifetime is over, or it was
        /// invalidated.
        case becameStale
        /// The entity's own value is unchanged, but an entity that it refers to has changed or
        /// become stale.
        ///
        /// For example, the author of an observed book has changed.
        case related

        /// A Boolean value that indicates whether the entity's value was removed, for any reason.
        public var isRemoval: Bool {
            if case .removed = self { true } else { false }
        }
    }

    /// The identifier of the observed entity.
    public let id: Value.ID
    /// The way in which the commit affected the entity.
    public let kind: Kind
    /// The value before the commit, or `nil` if there was none.
    public let old: Value?
    /// The value after the commit, or `nil` if there is none.
    public let new: Value?
    /// The number of the commit.
    ///
    /// Later commits have greater numbers.
    public let version: UInt64
    /// The causes, or `nil` if the entity itself is the only one.
    @usableFromInline let foundCauses: Set<CacheKey>?

    /// Creates a change with its causes; without causes, the entity itself is the cause.
    @inlinable
    init(
        id: Value.ID,
        kind: Kind,
        old: Value?,
        new: Value?,
        causes: Set<CacheKey>? = nil,
        version: UInt64
    ) {
        self.id = id
        self.kind = kind
        self.old = old
        self.new = new
        self.version = version
        foundCauses = causes
    }

    /// The key of the observed entity.
    public var key: CacheKey { CacheKey(Value.self, id: id) }

    /// The keys of the changed or newly stale entities that affect the observed entity.
    ///
    /// ```swift
    /// let observation = cache.cached(Book.self, id: 1).observeChanges { change in
    ///     if change.causes.contains(CacheKey(author)) { print("The author has changed.") }
    /// }
    /// ```
    ///
    /// They are the entities that the observed entity reaches after the commit over its
    /// relationships. The entity's own key is included if the entity itself has changed or become
    /// stale.
    public var causes: Set<CacheKey> { foundCauses ?? [key] }
}

extension EntityChange.Kind: CustomStringConvertible {
    /// The kind in words, such as `updated` or `removed (evicted)`.
    public var description: String {
        switch self {
        case .inserted: "inserted"
        case .updated: "updated"
        case .removed(let reason): "removed (\(reason))"
        case .becameStale: "became stale"
        case .related: "related"
        }
    }
}

extension EntityChange: Equatable where Value: Equatable {
    /// Returns a Boolean value that indicates whether two changes have equal properties.
    public static func == (left: EntityChange<Value>, right: EntityChange<Value>) -> Bool {
        left.id == right.id && left.kind == right.kind && left.version == right.version
            && left.old == right.old && left.new == right.new && left.causes == right.causes
    }
}

/// The reason for which a commit removed a value.
///
/// ```swift
/// let observation = cache.cached(Book.self, id: 1).observeChanges { change in
///     if case .removed(.evicted) = change.kind { print("To be loaded again.") }
/// }
/// ```
///
/// Entities that a value owns (``OwnsCachedValues``) are removed for the same reason as their
/// owner.
public enum RemovalReason: Hashable, Sendable {
    /// An explicit removal: with `remove`, `removeAll`, or by setting a handle's value to `nil`.
    case explicit
    /// An eviction, because of the ``CacheLimit`` of its type or by ``Cache/trim(to:)``.
    case evicted
    /// An expiry by the ``CacheExpiration`` of its type, while the value wasn't in use.
    case expired
    /// A call of ``Cache/pruneUnobservedValues()`` while no observation reached the value.
    case pruned
}

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
