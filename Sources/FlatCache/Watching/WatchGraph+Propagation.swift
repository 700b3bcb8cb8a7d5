/// An observed node that a commit affects, with the observers to notify and the causes.
struct Reached {
    let node: WatchNodeID
    let observers: [Observer]
    /// The keys of the changed nodes that are reachable from this one, if an observer asks for
    /// causes.
    let causes: Set<CacheKey>
}

struct DependentWalk {
    /// The visited heads, in the order of their marks.
    let heads: [WatchUnit]
    /// The number of relationships that the walk has followed.
    let steps: Int
}

extension WatchGraph {
    /// Returns the observed nodes from which changed nodes are reachable.
    ///
    /// The walk follows the relationships backwards from head to head, and visits each head once,
    /// with an explicit stack.
    ///
    /// - Complexity: O(*n*) in the number of heads from which a changed node can be reached, and
    ///   relationships between them, if no affected observer asks for causes. Otherwise, that is
    ///   multiplied by the number of the changed nodes' heads or of observed nodes, whichever is
    ///   less. Finding a head takes O(log *n*) amortized in the number of nodes.
    mutating func observed(reachedBy changed: [WatchNodeID]) -> [Reached] {
        // A node lists the bounded observations that reach it, so only the others need a walk.
        let reached = changed.contains { self[$0].isReached } ? unboundedObserved(by: changed) : []
        return bounded.isEmpty ? reached : reached + boundedObserved(reachedBy: changed)
    }

    /// Returns the nodes whose observers follow all relationships and from which changed nodes are
    /// reachable.
    private mutating func unboundedObserved(by changed: [WatchNodeID]) -> [Reached] {
        assert(loosenedComponents.isEmpty, "Dropping unreached nodes must tighten the components.")
        let walk = walk(from: changed)
        var roots: [WatchNodeID] = []
        for head in walk.heads { appendObserved(of: head, to: &roots) }
        condense(walk)
        let asking = roots.filter { wantsCauses($0) }
        // Everything that reaches one of the nodes with the same head reaches all of them.
        let isReachedTogether = asking.isEmpty || haveSameHead(changed)
        let shared = asking.isEmpty || !isReachedTogether ? [] : keys(of: changed)
        let causes = isReachedTogether ? [:] : causes(of: asking, among: changed)
        return roots.map { root in
            Reached(
                node: root,
                observers: Array(self[root].observers),
                causes: isReachedTogether ? shared : keys(of: causes[root] ?? [])
            )
        }
    }

    func wantsCauses(_ node: WatchNodeID) -> Bool {
        self[node].observers.contains { $0.wantsCauses }
    }

    private mutating func haveSameHead(_ nodes: [WatchNodeID]) -> Bool {
        if nodes.count == 1 { return true }
        let first = head(of: nodes[0])
        for node in nodes where head(of: node) != first { return false }
        return true
    }

    private func keys(of nodes: [WatchNodeID]) -> Set<CacheKey> { Set(nodes.map { self[$0].key }) }

    /// Returns whether no other watched entity refers to a node's entity, and no bounded
    /// observation reaches it.
    ///
    /// The node's observers then are all that a change to its entity reaches.
    func isAlone(_ node: WatchNodeID) -> Bool {
        self[node].component == .none && self[node].dependents.outer.isEmpty
            && self[node].boundedObservers.isEmpty
    }

    /// Returns the heads from which one of the nodes can be reached, starting with the nodes' own
    /// heads.
    private mutating func walk(from nodes: [WatchNodeID]) -> DependentWalk {
        let walk = beginWalk()
        var steps = 0
        var units: [WatchUnit] = []
        var dependents: [WatchNodeID] = []
        for node in nodes {
            let head = head(of: node)
            visit(head, from: .none, in: walk, &units)
        }
        var next = 0
        while next < units.count {
            dependents.removeAll(keepingCapacity: true)
            appendDependents(of: units[next], to: &dependents)
            steps += dependents.count
            for dependent in dependents {
                let head = head(of: dependent)
                visit(head, from: units[next], in: walk, &units)
            }
            next += 1
        }
        return DependentWalk(heads: units, steps: steps)
    }

    /// Returns the changed nodes that are reachable from each of the asking nodes.
    private mutating func causes(
        of asking: [WatchNodeID],
        among changed: [WatchNodeID]
    ) -> [WatchNodeID: [WatchNodeID]] {
        var causes: [WatchNodeID: [WatchNodeID]] = [:]
        // The same observers reach all nodes with the same head.
        let changedTogether = Dictionary(grouping: changed) { head(of: $0) }
        if changedTogether.count <= asking.count {
            // The asking nodes are observed, so the head of each is its own unit.
            let askingTogether = Dictionary(grouping: asking) { unit(of: $0) }
            for together in changedTogether.values {
                for unit in walk(from: [together[0]]).heads {
                    for id in askingTogether[unit] ?? [] { causes[id, default: []] += together }
                }
            }
        } else {
            let changed = Set(changed)
            for id in asking { causes[id] = reachable(from: id).filter(changed.contains) }
        }
        return causes
    }

    private mutating func reachable(from start: WatchNodeID) -> [WatchNodeID] {
        let walk = beginWalk()
        var found = [start]
        self[start].mark.walk = walk
        var next = 0
        while next < found.count {
            for edge in self[found[next]].related where self[edge.node].mark.walk != walk {
                self[edge.node].mark.walk = walk
                found.append(edge.node)
            }
            next += 1
        }
        return found
    }

    private func boundedObserved(reachedBy changed: [WatchNodeID]) -> [Reached] {
        var reached: [Reached] = []
        if changed.count == 1 {
            // No observation is reached twice, so there's nothing to collect.
            self[changed[0]].boundedObservers.forEach { observer in
                let observed = observer.level == 0 ? changed[0] : nil
                append(observer.observer, of: observed, changed, to: &reached)
            }
            return reached
        }
        var causes: [UInt64: [WatchNodeID]] = [:]
        for id in changed {
            self[id].boundedObservers.forEach { observer in
                causes[observer.observer.registration, default: []].append(id)
            }
        }
        for (registration, causes) in causes {
            guard let observer = bounded[registration]?.observer else { continue }
            append(observer, of: nil, causes, to: &reached)
        }
        return reached
    }

    /// Appends a bounded observation that changed nodes reach.
    ///
    /// - Parameter observed: The node of the observed entity, if it's known.
    private func append(
        _ observer: Observer,
        of observed: WatchNodeID?,
        _ causes: [WatchNodeID],
        to reached: inout [Reached]
    ) {
        guard let node = observed ?? node(of: observer.key) else { return }
        let causes = observer.wantsCauses ? keys(of: causes) : []
        reached.append(Reached(node: node, observers: [observer], causes: causes))
    }
}
