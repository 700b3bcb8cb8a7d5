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
    var memberPosition: Int32 = 0

    /// The observations of the entity that follow all relationships.
    var observers = RegistrationList<Observer>()
    /// The bounded observations that reach the entity, with their levels.
    var boundedObservers = RegistrationList<BoundedObserver>()

    /// The next node whose key has the same hash, or `.none`.
    var nextWithHash = WatchNodeID.none
    /// `true` if an observation that follows all relationships reaches the node.
    var isReached = false
    /// `true` if the node's place is unused.
    var isFree = false

    var mark = WalkMark()

    init(key: CacheKey) {
        self.key = key
    }

    /// `true` if a bounded observation follows the node's relationships.
    var isFollowedByBoundedObservers: Bool {
        boundedObservers.contains { $0.reachesFurther }
    }
}

/// A bounded observation, as a node that it reaches stores it.
struct BoundedObserver {
    let observer: Observer
    /// The number of relationships from the observed entity to the node.
    let level: Int

    /// `true` if the observation follows the node's relationships.
    var reachesFurther: Bool { level < observer.following.levelLimit }
}

struct WatchComponentID: Hashable, Sendable {
    var index: Int32

    /// The component of a single node.
    static let none = WatchComponentID(index: -1)
}

/// Two or more nodes that all reach each other, so that they have the same observers.
///
/// A component need not be maximal: it may be part of a larger one that hasn't been found yet.
struct WatchComponent {
    var members: [WatchNodeID] = []
    /// The members that are observed themselves.
    var observed: Set<WatchNodeID> = []
    /// The members with dependents outside the component.
    var entered: Set<WatchNodeID> = []
    /// The removed relationships between members since the component was last known to be strongly
    /// connected.
    var removedEdges: [(source: WatchNodeID, target: WatchNodeID)] = []

    var mark = WalkMark()
}

/// A component or a single node: the unit that a walk visits.
struct WatchUnit: Hashable, Sendable {
    private let code: Int32

    init(_ node: WatchNodeID) { code = node.index }

    init(_ component: WatchComponentID) { code = ~component.index - 1 }

    private init(code: Int32) { self.code = code }

    static let none = WatchUnit(code: -1)

    /// The component, or `nil` for a single node.
    var component: WatchComponentID? {
        code < -1 ? WatchComponentID(index: ~(code + 1)) : nil
    }

    /// The single node; meaningless for a component.
    var node: WatchNodeID { WatchNodeID(index: code) }
}

/// The marks that walks leave at the units that they visit.
struct WalkMark {
    /// The last walk that visited the unit, the unit from which it came, and the unit's position in
    /// the walk's order.
    var walk: UInt64 = 0
    var origin = WatchUnit.none
    var order: Int32 = 0
    /// The last round of searches for unreached nodes that found the unit reached.
    var provenReached: UInt64 = 0
}

/// The ends of relationships at a node, in no particular order.
///
/// Most nodes have one dependent, and refer to one other node or none. So the first edge is stored
/// inline, and memory is allocated from the second one on. A node may have a million dependents, so
/// the memory grows in chunks.
struct EdgeList: RandomAccessCollection, MutableCollection {
    /// One end of a relationship.
    ///
    /// It stores the node at the other end, and the position of the other end in that node's list,
    /// so that each end finds the other in constant time.
    struct Edge {
        var node: WatchNodeID
        var position: Int32
    }

    /// The first edge; its node is `.none` if the list is empty.
    private var first = Edge(node: .none, position: 0)
    /// The other edges, or `nil` if the list has never had more than one.
    private var others: ChunkedArray<Edge>?

    var startIndex: Int { 0 }

    var endIndex: Int { first.node == .none ? 0 : (others?.count ?? 0) + 1 }

    subscript(position: Int) -> Edge {
        get {
            guard position > 0, let others else { return first }
            return others[position - 1]
        }
        set {
            if position == 0 { first = newValue } else { others?[position - 1] = newValue }
        }
    }

    mutating func append(_ edge: Edge) {
        if first.node == .none { return first = edge }
        if others == nil { others = ChunkedArray() }
        others?.append(edge)
    }

    /// Removes and returns the last edge; the list must not be empty.
    mutating func removeLast() -> Edge {
        if let last = others?.popLast() { return last }
        let last = first
        assert(last.node != .none, "There is no edge to remove.")
        first.node = .none
        return last
    }
}
