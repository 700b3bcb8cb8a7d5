/// The effect of one commit on an observed entity.
///
/// ```swift
/// let observation = cache.observeChanges(Book.self, id: 1) { change in
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
    /// let observation = cache.observeChanges(Book.self, id: 1) { change in
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
