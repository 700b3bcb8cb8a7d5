/// The entities of a scope that has ended, and the scope around it.
@usableFromInline
struct EndedScope {
    let buffers: [StampedEntities]
    let enclosing: Ingestion?
    /// The entities of the inner scopes.
    let innerEntities: InnerScopeEntities
    /// An entity that the result contains in a plain property.
    let plainEntity: PlainEntity?

    /// The number of entities.
    var count: Int { buffers.reduce(0) { $0 + $1.count } }
}
