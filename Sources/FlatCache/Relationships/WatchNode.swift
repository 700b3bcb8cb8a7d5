/// The place of an entity in the watch graph.
@usableFromInline
struct WatchNodeID: Hashable, Sendable {
    @usableFromInline var index: Int32

    @inlinable
    init(index: Int32) { self.index = index }

    /// The place of what nobody watches.
    @inlinable static var none: WatchNodeID { WatchNodeID(index: -1) }
}

/// An entity that an observation reaches.
struct WatchNode {
    /// One end of a relationship.
    ///
    /// It has the node at the other end, and where in that node's list the other end stands, so
    /// that either end finds the other at once.
    struct Edge {
        var node: WatchNodeID
        var position: Int32
    }

    /// The ends of the relationships that lead to a node.
    struct Dependents {
        /// Those that come from outside the node's component.
        var outer: [Edge] = []
        /// Those that come from the same component.
        var inner: [Edge] = []

        subscript(inner isInner: Bool) -> [Edge] {
            _read {
                if isInner { yield inner } else { yield outer }
            }
            _modify {
                if isInner { yield &inner } else { yield &outer }
            }
        }
    }

    var key: CacheKey
    /// The entry and its table; `nil` while there is none of that key.
    var entry: (entry: EntryID, table: any AnyTable)?

    /// What the entity refers to, known while the node is reached.
    var related: [Edge] = []
    /// The reached nodes that refer to the entity.
    var dependents = Dependents()
    /// The component that the node belongs to with others, or `.none` if it is alone.
    var component = WatchComponentID.none
    /// Where the node stands among the members of its component.
    var memberPosition: Int32 = 0

    /// The observations of the entity that follow all relationships.
    var observers = RegistrationList<AnyObserver>()
    /// The observations of limited reach that reach the entity, and at which level.
    var boundedObservers = RegistrationList<BoundedObserver>()

    /// Whether an observation that follows all relationships reaches the node.
    var isReached = false
    /// Whether the node has gone, and its place waits for another.
    var isFree = false

    var mark = WalkMark()

    init(key: CacheKey) {
        self.key = key
    }

    /// Whether an observation of limited reach also reaches what the node refers to.
    var isFollowedByBoundedObservers: Bool {
        var isFollowed = false
        boundedObservers.forEach { isFollowed = isFollowed || $0.reachesFurther }
        return isFollowed
    }
}

/// An observation of limited reach, as a node that it reaches knows it.
struct BoundedObserver {
    let observer: AnyObserver
    /// Over how many relationships the observed entity reaches the node.
    let level: Int

    /// Whether the observation also reaches what the node refers to.
    var reachesFurther: Bool { level < observer.following.levelLimit }
}
