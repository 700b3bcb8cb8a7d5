/// The identifier of a node in the watch graph.
@usableFromInline
struct WatchNodeID: Hashable, Sendable {
    @usableFromInline var index: Int32

    @inlinable
    init(index: Int32) { self.index = index }

    /// The node of an entity that isn't watched.
    @inlinable static var none: WatchNodeID { WatchNodeID(index: -1) }
}

/// An entity that an observation reaches.
struct WatchNode {
    /// The ends of the relationships that lead to a node.
    struct Dependents {
        /// The relationships from outside the node's component.
        var outer = EdgeList()
        /// The relationships from inside the node's component.
        var inner = EdgeList()

        subscript(inner isInner: Bool) -> EdgeList {
            _read {
                if isInner { yield inner } else { yield outer }
            }
            _modify {
                if isInner { yield &inner } else { yield &outer }
            }
        }
    }

    var key: CacheKey
    /// The entry and its table, or `nil` if there is no entry for the key.
    var entry: (entry: EntryID, table: any AnyTable)?

    /// The entity's relationships, known while the node is reached.
    var related = EdgeList()
    /// The reached nodes that refer to the entity.
    var dependents = Dependents()
    /// The component of the node, or `.none` for a single node.
    var component = WatchComponentID.none
    /// The position of the node among the members of its component.
    var memberPosition: Int32 = 0

    /// The observations of the entity that follow all relationships.
    var observers = RegistrationList<Observer>()
    /// The bounded observations that reach the entity, with their levels.
    var boundedObservers = RegistrationList<BoundedObserver>()

    /// A Boolean value that indicates whether an observation that follows all relationships reaches
    /// the node.
    var isReached = false
    /// A Boolean value that indicates whether the node's place is unused.
    var isFree = false

    var mark = WalkMark()

    init(key: CacheKey) {
        self.key = key
    }

    /// A Boolean value that indicates whether a bounded observation follows the node's
    /// relationships.
    var isFollowedByBoundedObservers: Bool {
        var isFollowed = false
        boundedObservers.forEach { isFollowed = isFollowed || $0.reachesFurther }
        return isFollowed
    }
}

/// A bounded observation, as a node that it reaches stores it.
struct BoundedObserver {
    let observer: Observer
    /// The number of relationships from the observed entity to the node.
    let level: Int

    /// A Boolean value that indicates whether the observation follows the node's relationships.
    var reachesFurther: Bool { level < observer.following.levelLimit }
}
