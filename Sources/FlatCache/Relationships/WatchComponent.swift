/// The place of a component in the watch graph.
struct WatchComponentID: Hashable, Sendable {
    var index: Int32

    /// The place of the component of a node that is alone.
    static let none = WatchComponentID(index: -1)
}

/// Two or more nodes of which each reaches each other one, so that all have the same observers.
///
/// Not necessarily all such nodes: a component may lie in a larger one that has not been found yet.
struct WatchComponent {
    var members: [WatchNodeID] = []
    /// The members that are observed themselves.
    var observed: Set<WatchNodeID> = []
    /// The members that nodes outside refer to.
    var entered: Set<WatchNodeID> = []
    /// Relationships between members that have gone since the component was known to hold together.
    var removedEdges: [(source: WatchNodeID, target: WatchNodeID)] = []

    var mark = WalkMark()
}

/// A component, or a node that is alone: what a walk visits.
struct WatchUnit: Hashable, Sendable {
    private let code: Int32

    init(_ node: WatchNodeID) { code = node.index }

    init(_ component: WatchComponentID) { code = ~component.index - 1 }

    private init(code: Int32) { self.code = code }

    static let none = WatchUnit(code: -1)

    /// The component, unless this is a node that is alone.
    var component: WatchComponentID? {
        code < -1 ? WatchComponentID(index: ~(code + 1)) : nil
    }

    /// The node that is alone; meaningless for a component.
    var node: WatchNodeID { WatchNodeID(index: code) }
}

/// What walks leave behind at the units that they visit.
struct WalkMark {
    /// The walk that visited the unit last, the unit from which it came, and as which one.
    var walk: UInt64 = 0
    var origin = WatchUnit.none
    var order: Int32 = 0
    /// The last round of searches for unreached nodes that found this unit reached.
    var provenReached: UInt64 = 0
}
