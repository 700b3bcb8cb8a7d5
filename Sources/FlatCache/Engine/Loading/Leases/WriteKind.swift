/// The effect of a write on an entity whose load is running.
@usableFromInline
enum WriteKind: Sendable {
    case store
    case removal
    case invalidation
}
