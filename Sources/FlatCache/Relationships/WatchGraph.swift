/// The entities that observations reach, and the relationships between them.
///
/// Only these cost anything when they change. An observation that follows all relationships reaches
/// the entity that it observes, all that this refers to, and so on; each of these has a node, with
/// edges both ways. An observation of limited reach has a list of the nodes that it reaches, which is
/// made anew when one of them changes what it refers to.
///
/// A plain value: it neither locks nor calls anybody. Its owner asks it what it must be told
/// (`nextUnattached()`, `nextUnexpanded()`) and tells it. Guarded by the writers' lock.
struct WatchGraph {
    /// The nodes by their index, and the free places among them.
    private var nodes: [WatchNode] = []
    private var freePlaces: [WatchNodeID] = []
    private var nodesByKey: [CacheKey: WatchNodeID] = [:]
    /// How many nodes have no entry.
    ///
    /// While there are any, a new entry looks for its own.
    private(set) var missingCount = 0

    /// New nodes, whose entries have not been looked for.
    private var unattached: [WatchNodeID] = []
    /// Reached nodes whose relationships are not known yet.
    private var unexpanded: [WatchNodeID] = []
    /// Nodes that have lost a dependent or an observer, so that they may not be reached any more.
    var suspects: [WatchNodeID] = []

    /// The observations of limited reach by their registration, and the nodes that each reaches.
    var bounded: [UInt64: (subscription: AnySubscription, reach: [WatchNodeID])] = [:]

    /// Numbers the walks, to tell the nodes that the current one has visited.
    private var walks: UInt64 = 0

    /// How many entities are watched.
    var count: Int { nodesByKey.count }

    var isEmpty: Bool { nodesByKey.isEmpty }

    /// All nodes, in no particular order.
    var allNodes: some Sequence<WatchNodeID> { nodesByKey.values }

    /// The node with an identifier, which must exist.
    subscript(id: WatchNodeID) -> WatchNode {
        _read { yield nodes[Int(id.index)] }
        _modify { yield &nodes[Int(id.index)] }
    }

    func node(of key: CacheKey) -> WatchNodeID? { nodesByKey[key] }

    mutating func beginWalk() -> UInt64 {
        walks += 1
        return walks
    }

    // MARK: Nodes and their entries

    /// The node of a key, made if there is none.
    mutating func ensureNode(of key: CacheKey) -> WatchNodeID {
        if let node = nodesByKey[key] { return node }
        let id: WatchNodeID
        if let place = freePlaces.popLast() {
            id = place
            self[id] = WatchNode(key: key)
        } else {
            id = WatchNodeID(index: Int32(nodes.count))
            nodes.append(WatchNode(key: key))
        }
        nodesByKey[key] = id
        missingCount += 1
        unattached.append(id)
        return id
    }

    /// Lets a node go that nothing reaches.
    ///
    /// It must have no edges.
    mutating func freeIfUnused(_ id: WatchNodeID) {
        guard !self[id].isFree, !self[id].isReached, self[id].boundedObservers.isEmpty else {
            return
        }
        if let (entry, _) = self[id].entry {
            entry.node = .none
        } else {
            missingCount -= 1
        }
        nodesByKey[self[id].key] = nil
        self[id] = WatchNode(key: self[id].key)
        self[id].isFree = true
        freePlaces.append(id)
    }

    /// Gives back the memory of a graph that has become empty.
    ///
    /// No node identifier outlives this.
    mutating func reclaimIfEmpty() {
        guard isEmpty, !nodes.isEmpty else { return }
        nodes = []
        freePlaces = []
        nodesByKey = [:]
        unattached = []
        unexpanded = []
        suspects = []
    }

    /// A node whose entry must be looked for, and attached if there is one; `nil` if there is none.
    mutating func nextUnattached() -> WatchNodeID? {
        while let id = unattached.popLast() {
            if !self[id].isFree, self[id].entry == nil { return id }
        }
        return nil
    }

    /// Connects a node with the entry of its key.
    mutating func attach(_ entry: AnyEntry, of table: any AnyTable, to id: WatchNodeID) {
        self[id].entry = (entry, table)
        entry.node = id
        missingCount -= 1
    }

    /// Connects a new entry with the node of its key, if the key is watched.
    mutating func attach(_ entry: AnyEntry, of table: any AnyTable) {
        guard missingCount > 0, let id = nodesByKey[table.key(of: entry)] else { return }
        attach(entry, of: table, to: id)
    }

    /// Disconnects an entry that leaves its table.
    mutating func detach(_ entry: AnyEntry) {
        guard entry.node != .none else { return }
        self[entry.node].entry = nil
        entry.node = .none
        missingCount += 1
    }

    // MARK: Relationships

    /// Marks a node as reached by an observation that follows all relationships.
    mutating func reach(_ id: WatchNodeID) {
        guard !self[id].isReached else { return }
        self[id].isReached = true
        unexpanded.append(id)
    }

    /// A reached node whose relationships must be looked up and set; `nil` if all are known.
    mutating func nextUnexpanded() -> WatchNodeID? {
        unexpanded.popLast()
    }

    /// Sets what a reached node refers to.
    ///
    /// - Complexity: O(*d*) in the number of relationships before and after.
    mutating func setRelatedKeys(_ keys: Set<CacheKey>, of id: WatchNodeID) {
        var added = keys
        var position = 0
        while position < self[id].related.count {
            let target = self[id].related[position].node
            if added.remove(self[target].key) != nil {
                position += 1
            } else {
                removeEdge(from: id, at: position)
            }
        }
        for key in added {
            let target = ensureNode(of: key)
            addEdge(from: id, to: target)
            reach(target)
        }
    }

    private mutating func addEdge(from source: WatchNodeID, to target: WatchNodeID) {
        let position = Int32(self[source].related.count)
        let reversePosition = Int32(self[target].dependents.count)
        self[source].related.append(.init(node: target, position: reversePosition))
        self[target].dependents.append(.init(node: source, position: position))
    }

    /// Removes a relationship; the last one takes its position.
    mutating func removeEdge(from source: WatchNodeID, at position: Int) {
        let edge = self[source].related[position]
        let reversePosition = Int(edge.position)
        let lastDependent = self[edge.node].dependents.removeLast()
        if reversePosition < self[edge.node].dependents.count {
            self[edge.node].dependents[reversePosition] = lastDependent
            self[lastDependent.node].related[Int(lastDependent.position)].position = edge.position
        }
        let lastRelated = self[source].related.removeLast()
        if position < self[source].related.count {
            self[source].related[position] = lastRelated
            self[lastRelated.node].dependents[Int(lastRelated.position)].position = Int32(position)
        }
        suspects.append(edge.node)
    }
}
