/// The entities that observations reach, and the relationships between them.
///
/// Changes to other entities cost no time here. An observation that follows all relationships
/// reaches the observed entity, the entities that it refers to, and so on. Each of these entities
/// has a node, with edges in both directions. A bounded observation follows relationships to a
/// limited depth, and has a list of the nodes that it reaches. The list is computed again when the
/// relationships of one of the nodes change.
///
/// The graph is a plain value, but not a copyable one: reading one part of it must not copy the
/// others. It takes no locks, notifies no observers, and calls no table. Its owner takes the next
/// step (`nextStep()`): it is a lookup for the graph or clears the node of an entry. It also passes
/// on the changes that tables make to entries with nodes. Guarded by the writers' lock.
struct WatchGraph: ~Copyable {
    /// The nodes by index, and the unused places among them.
    private var nodes = ChunkedArray<WatchNode>()
    private var freePlaces = ChunkedArray<WatchNodeID>()
    /// The nodes by the hashes of their keys.
    ///
    /// Nodes with equal hashes form a list, whose first node is here.
    private var index = ChunkedDictionary<UInt32, WatchNodeID>()
    /// Nodes that have been freed, but are still in the index.
    private var freed: [WatchNodeID] = []
    /// The number of nodes without an entry.
    ///
    /// If there are any, a new entry must look for its node.
    private(set) var missingCount = 0

    /// New nodes whose entries haven't been looked up.
    private var unattached: [WatchNodeID] = []
    /// Reached nodes whose relationships haven't been looked up.
    private var unexpanded: [WatchNodeID] = []
    /// Entries whose nodes have been freed.
    private var released: [(entry: EntryID, table: any AnyTable)] = []
    /// Nodes that have lost a dependent or an observer, so that they may be unreached.
    var suspects: [WatchNodeID] = []

    /// The components by index, and the unused places among them.
    var components: [WatchComponent] = []
    var freeComponents: [WatchComponentID] = []
    /// Components that have lost a relationship between their members.
    var loosenedComponents: [WatchComponentID] = []
    /// The number of steps that walks may still spend on searches for components.
    ///
    /// Each new relationship adds to it, so that the searches take a constant time for each of them
    /// on average.
    var condensationCredit = 0
    /// The number of units up to which a walk is fast enough without components.
    var shortWalkLimit = 16
    /// The number of steps per node after which a mark-and-sweep replaces the searches for
    /// observers.
    var searchStepsPerNode = 4

    /// The nodes with one dependent only, below that dependent.
    var forest = DependentForest()

    /// The bounded observations by registration number, and the nodes that each reaches.
    var bounded: [UInt64: (observer: Observer, reach: [WatchNodeID])] = [:]

    /// The number of walks so far.
    ///
    /// It identifies the nodes that the current walk has visited.
    private var walks: UInt64 = 0

    /// The number of watched entities.
    var count: Int { nodes.count - freePlaces.count }

    var isEmpty: Bool { count == 0 }

    /// All nodes, in no particular order.
    ///
    /// - Complexity: O(*n*) in the number of nodes.
    var allNodes: [WatchNodeID] {
        var ids: [WatchNodeID] = []
        ids.reserveCapacity(count)
        for place in nodes.indices where !nodes[place].isFree {
            ids.append(WatchNodeID(index: Int32(place)))
        }
        return ids
    }

    /// Returns whether any entity of some types has a node.
    ///
    /// - Complexity: O(*n*) in the number of nodes.
    func containsNode(ofTypes types: Set<ObjectIdentifier>) -> Bool {
        nodes.indices.contains { !nodes[$0].isFree && types.contains(nodes[$0].key.typeIdentifier) }
    }

    /// The node with an identifier; the node must exist.
    subscript(id: WatchNodeID) -> WatchNode {
        _read { yield nodes[Int(id.index)] }
        _modify { yield &nodes[Int(id.index)] }
    }

    subscript(id: WatchComponentID) -> WatchComponent {
        _read { yield components[Int(id.index)] }
        _modify { yield &components[Int(id.index)] }
    }

    func node(of key: CacheKey) -> WatchNodeID? {
        node(of: key, hash: Self.hash(of: key))
    }

    private func node(of key: CacheKey, hash: UInt32) -> WatchNodeID? {
        var id = index[hash] ?? .none
        while id != .none, self[id].key != key { id = self[id].nextWithHash }
        return id == .none ? nil : id
    }

    /// Returns the part of a key's hash that the index stores.
    private static func hash(of key: CacheKey) -> UInt32 {
        UInt32(truncatingIfNeeded: key.hashValue)
    }

    mutating func beginWalk() -> UInt64 {
        walks += 1
        return walks
    }

    // MARK: Nodes and their entries

    /// Returns the node of a key, creating it if there is none.
    mutating func ensureNode(of key: CacheKey) -> WatchNodeID {
        let hash = Self.hash(of: key)
        if let node = node(of: key, hash: hash) { return node }
        let id: WatchNodeID
        if let place = freePlaces.popLast() {
            id = place
            self[id] = WatchNode(key: key)
        } else {
            id = WatchNodeID(index: Int32(nodes.count))
            nodes.append(WatchNode(key: key))
            forest.appendVertex()
        }
        enter(id, hash: hash)
        missingCount += 1
        unattached.append(id)
        return id
    }

    /// Adds a node to the index.
    private mutating func enter(_ id: WatchNodeID, hash: UInt32) {
        self[id].nextWithHash = index.updateValue(id, forKey: hash) ?? .none
    }

    private mutating func removeFromIndex(_ id: WatchNodeID) {
        let hash = Self.hash(of: self[id].key)
        let next = self[id].nextWithHash
        guard var previous = index[hash], previous != id else {
            index[hash] = next == .none ? nil : next
            return
        }
        while self[previous].nextWithHash != id { previous = self[previous].nextWithHash }
        self[previous].nextWithHash = next
    }

    /// Frees a node that nothing reaches.
    ///
    /// The node must have no edges. The caller then forgets the freed nodes.
    mutating func freeIfUnused(_ id: WatchNodeID) {
        guard !self[id].isFree, !self[id].isReached, self[id].boundedObservers.isEmpty else {
            return
        }
        if let entry = self[id].entry {
            released.append(entry)
        } else {
            missingCount -= 1
        }
        let next = self[id].nextWithHash
        self[id] = WatchNode(key: self[id].key)
        self[id].nextWithHash = next
        self[id].isFree = true
        freed.append(id)
    }

    /// Removes the nodes that have been freed from the index, and makes their places available.
    ///
    /// - Complexity: O(*n*) in the number of these nodes. If they are many, the other nodes are
    ///   entered anew, because that takes less time.
    mutating func forgetFreed() {
        guard !freed.isEmpty else { return }
        if freed.count > nodes.count / 2 {
            index = ChunkedDictionary()
            for id in allNodes { enter(id, hash: Self.hash(of: self[id].key)) }
        } else {
            for id in freed { removeFromIndex(id) }
        }
        for id in freed { freePlaces.append(id) }
        freed = []
    }

    /// Takes the memory of an empty graph, to be released after the locks; returns `nil` if the
    /// graph isn't empty or has no memory.
    ///
    /// Node identifiers are invalid afterwards.
    mutating func takeMemoryIfEmpty() -> (memory: Released<WatchGraph>, nodeCount: Int)? {
        guard isEmpty, !nodes.isEmpty else { return nil }
        let nodeCount = nodes.count
        var graph = WatchGraph()
        graph.shortWalkLimit = shortWalkLimit
        graph.searchStepsPerNode = searchStepsPerNode
        swap(&self, &graph)
        return (Released(graph), nodeCount)
    }

    /// A step that the owner must take to complete the graph.
    enum Step {
        /// Clear the node of an entry that is no longer watched.
        case release(EntryID, any AnyTable)
        /// Look for the entry of a new node, and attach it if there is one.
        case attach(WatchNodeID)
        /// Look up the relationships of a newly reached node, and set them.
        case expand(WatchNodeID)
    }

    /// Returns the next step, or `nil` if the graph is complete.
    mutating func nextStep() -> Step? {
        if !released.isEmpty {
            let (entry, table) = released.removeLast()
            return .release(entry, table)
        }
        while let id = unattached.popLast() {
            if !self[id].isFree, self[id].entry == nil { return .attach(id) }
        }
        return unexpanded.popLast().map(Step.expand)
    }

    /// `true` if no step is left, and no node may be unreached.
    var isComplete: Bool {
        released.isEmpty && unattached.isEmpty && unexpanded.isEmpty && suspects.isEmpty
    }

    /// Sets the entry of a node without one.
    mutating func attach(_ entry: EntryID, of table: any AnyTable, to id: WatchNodeID) {
        self[id].entry = (entry, table)
        missingCount -= 1
    }

    /// Updates the nodes whose entries have moved or left their tables.
    mutating func apply(_ changes: [NodeChange]) {
        for change in changes {
            if let entry = change.entry {
                self[change.node].entry?.entry = entry
            } else {
                self[change.node].entry = nil
                missingCount += 1
            }
        }
    }

    /// Marks a node as reached by an observation that follows all relationships.
    mutating func reach(_ id: WatchNodeID) {
        guard !self[id].isReached else { return }
        self[id].isReached = true
        unexpanded.append(id)
    }
}

/// A change that a table has made to an entry with a node in the watch graph.
struct NodeChange {
    let node: WatchNodeID
    /// The new identifier of the entry if it has moved, or `nil` if it has left its table.
    let entry: EntryID?
}
