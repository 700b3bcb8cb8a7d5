/// The stored state of an alias: a value that refers to the entity that the alias points to.
@usableFromInline
package struct AliasState<Value: Identifiable & Sendable>: Identifiable, Sendable
where Value.ID: Sendable {
    /// The name of the alias.
    @usableFromInline package let id: String
    /// The identifier of the entity that the alias points to.
    @usableFromInline package let target: Value.ID

    /// `true` if the alias pins the entity.
    @usableFromInline package let pinsTarget: Bool

    @usableFromInline
    package init(id: String, target: Value.ID, pinsTarget: Bool) {
        self.id = id
        self.pinsTarget = pinsTarget
        self.target = target
    }
}

extension AliasState: Equatable {
    @usableFromInline
    package static func == (left: AliasState, right: AliasState) -> Bool {
        left.id == right.id && left.target == right.target && left.pinsTarget == right.pinsTarget
    }
}

extension AliasState: HasCachedRelationships {
    @usableFromInline package var relatedCacheKeys: Set<CacheKey> {
        [CacheKey(Value.self, id: target)]
    }
}

extension AliasState: PinsEntities {
    @usableFromInline var pinnedCacheKeys: Set<CacheKey> { pinsTarget ? relatedCacheKeys : [] }
}
