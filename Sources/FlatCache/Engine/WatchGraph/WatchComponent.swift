/// The identifier of a component in the watch graph.
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
