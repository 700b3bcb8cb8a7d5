/// Where an alias points, as the cache stores it: a value like any other, which refers to its target.
@usableFromInline
struct AliasState<Value: Identifiable & Sendable>: Identifiable, Sendable
where Value.ID: Sendable {
    /// The name of the alias.
    @usableFromInline let id: String
    /// The identifier of the entity that it points to.
    @usableFromInline let target: Value.ID

    @inlinable
    init(id: String, target: Value.ID) {
        self.id = id
        self.target = target
    }
}

extension AliasState: Equatable {
    @usableFromInline
    static func == (left: AliasState, right: AliasState) -> Bool {
        left.id == right.id && left.target == right.target
    }
}

extension AliasState: HasCachedRelationships {
    @usableFromInline var relatedCacheKeys: Set<CacheKey> { [CacheKey(Value.self, id: target)] }
}
