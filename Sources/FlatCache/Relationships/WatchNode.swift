/// The place of an entity in the watch graph.
struct WatchNodeID: Hashable, Sendable {
    var index: Int32

    /// The place of what nobody watches.
    static let none = WatchNodeID(index: -1)
}

/// An entity that an observation reaches.
struct WatchNode {
    /// One end of a relationship: the node at the other end, and where in that node's list the other
    /// end stands, so that either end finds the other at once.
    struct Edge {
        var node: WatchNodeID
        var position: Int32
    }

    var key: CacheKey
    /// The entry and its table; `nil` while there is none of that key.
    var entry: (entry: AnyEntry, table: any AnyTable)?

    /// What the entity refers to.
    ///
    /// Known while the node is reached.
    var related: [Edge] = []
    /// The reached nodes that refer to the entity.
    var dependents: [Edge] = []

    /// The observations of the entity that follow all relationships.
    var observers = RegistrationList<AnySubscription>()
    /// The observations of limited reach that reach the entity, and at which level.
    var boundedObservers = RegistrationList<BoundedObserver>()

    /// Whether an observation that follows all relationships reaches the node.
    var isReached = false
    /// Whether the node has gone, and its place waits for another.
    var isFree = false

    /// The walk that visited the node last, and the node from which it came.
    var visit: UInt64 = 0
    var visitedFrom = WatchNodeID.none
    /// The last round of searches for unreached nodes that found this one reached.
    var provenReached: UInt64 = 0

    init(key: CacheKey) {
        self.key = key
    }
}

/// An observation of limited reach, as a node that it reaches knows it.
struct BoundedObserver {
    let subscription: AnySubscription
    /// Over how many relationships the observed entity reaches the node.
    let level: Int

    /// Whether the observation also reaches what the node refers to.
    var reachesFurther: Bool { level < subscription.following.levelLimit }
}
