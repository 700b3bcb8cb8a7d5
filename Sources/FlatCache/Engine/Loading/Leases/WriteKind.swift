/// The effect of a write on an entity whose load is running.
@usableFromInline
enum WriteKind: Sendable {
    case store
    case removal
    case invalidation

    /// A Boolean value that indicates whether a load that begins now must not share the answer of
    /// one that has begun before.
    var separatesLoads: Bool { self != .store }
}
