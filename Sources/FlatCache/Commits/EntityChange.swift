/// What one commit did to an observed entity.
public struct EntityChange<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    /// In which way a commit reached an observed entity.
    public enum Kind: Hashable, Sendable {
        /// The entity was not there before.
        case inserted
        /// The entity has another value than before, or one that was stale has been stored again.
        case updated
        /// The entity is not there any more, for a reason.
        case removed(RemovalReason)
        /// The entity has the same value as before, which has become stale: it has expired, and is
        /// kept because it is in use.
        case expired
        /// The entity has the same value as before; something that it refers to has changed or
        /// become stale.
        case related

        /// Whether the entity is not there any more, for whatever reason.
        public var isRemoval: Bool {
            if case .removed = self { true } else { false }
        }
    }

    /// The identifier of the observed entity.
    public let id: Value.ID
    /// In which way the commit reached the entity.
    public let kind: Kind
    /// The value before the commit, or `nil` if there was none.
    public let old: Value?
    /// The value that the commit left, or `nil` if it removed it.
    public let new: Value?
    /// The number of the commit.
    ///
    /// Later commits have greater numbers.
    public let version: UInt64
    /// The causes, unless the only one is the entity itself.
    private let foundCauses: Set<CacheKey>?

    /// The change of an entity with what has caused it, or, if that is not given, itself as cause.
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

    /// The keys of the entities that the commit changed, or made stale, and that the observed
    /// entity reaches over its relationships as they are after the commit; its own among them if it
    /// has changed itself.
    public var causes: Set<CacheKey> { foundCauses ?? [key] }
}

extension EntityChange.Kind: CustomStringConvertible {
    /// The kind in words, such as `updated` or `removed (evicted)`.
    public var description: String {
        switch self {
        case .inserted: "inserted"
        case .updated: "updated"
        case .removed(let reason): "removed (\(reason))"
        case .expired: "expired"
        case .related: "related"
        }
    }
}

extension EntityChange: Equatable where Value: Equatable {
    /// Returns whether two changes are the same in all that they tell.
    public static func == (left: EntityChange<Value>, right: EntityChange<Value>) -> Bool {
        left.id == right.id && left.kind == right.kind && left.version == right.version
            && left.old == right.old && left.new == right.new && left.causes == right.causes
    }
}
