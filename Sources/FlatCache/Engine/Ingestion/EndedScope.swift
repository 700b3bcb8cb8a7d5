/// The entities of a scope that has ended, and the scope around it.
@usableFromInline
struct EndedScope {
    let buffers: [StampedEntities]
    let enclosing: Ingestion?
    /// The entities of the inner scopes.
    let innerEntities: InnerScopeEntities

    /// The number of entities.
    var count: Int { buffers.reduce(0) { $0 + $1.count } }
}
