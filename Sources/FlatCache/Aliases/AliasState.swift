/// Where an alias points, as the cache stores it: a value like any other, which refers to its target.
@usableFromInline
struct AliasState<Value: Identifiable & Sendable>: Identifiable, Sendable
where Value.ID: Sendable {
    /// The name of the alias.
    @usableFromInline let id: String
    /// The identifier of the entity that it points to.
    @usableFromInline let target: Value.ID

    /// Whether the entity stays when others of its type are evicted.
    @usableFromInline let pinsTarget: Bool

    @inlinable
    init(id: String, target: Value.ID, pinsTarget: Bool) {
        self.id = id
        self.pinsTarget = pinsTarget
        self.target = target
    }
}

extension AliasState: Equatable {
    @usableFromInline
    static func == (left: AliasState, right: AliasState) -> Bool {
        left.id == right.id && left.target == right.target && left.pinsTarget == right.pinsTarget
    }
}

extension AliasState: HasCachedRelationships {
    @usableFromInline var relatedCacheKeys: Set<CacheKey> { [CacheKey(Value.self, id: target)] }
}

extension AliasState: PinsEntities {
    @usableFromInline var pinnedCacheKeys: Set<CacheKey> { pinsTarget ? relatedCacheKeys : [] }
}
