// Finding the components: what is known to hold together is kept, and looked for again only where
// relationships have come or gone.
extension WatchGraph {
    /// What a new relationship earns towards finding components, in units visited.
    ///
    /// So the search costs a constant time for each new relationship, and never more than that,
    /// however often a walk visits many units that do not hold together.
    static var creditPerEdge: Int { 4 }

    /// Finds components among units that a walk has visited, if they are many and relationships
    /// have been added that may connect them.
    ///
    /// The units must be all that reach the first ones, in the order of their marks: then each
    /// component of theirs lies wholly among them.
    mutating func condense(_ units: [WatchUnit]) {
        guard units.count > fewUnits, condensationCredit >= units.count else { return }
        condensationCredit -= units.count
        var reversed = CompactGraph()
        var dependents: [WatchUnit] = []
        for unit in units {
            dependents.removeAll(keepingCapacity: true)
            appendDependents(of: unit, to: &dependents)
            reversed.appendVertex(edgesTo: dependents.map { self[mark: $0].order })
        }
        for component in reversed.stronglyConnectedComponents() {
            join(component.map { units[Int($0)] })
        }
    }

    /// Makes sure that each component still holds together.
    ///
    /// - Complexity: O(*n*) in the size of the components that have lost a relationship; far less where
    ///   a way round it is short, or where it has only left a member at the edge.
    mutating func tightenComponents() {
        while let component = loosenedComponents.popLast() {
            var missing = self[component].removedEdges
            self[component].removedEdges = []
            guard expelDeadEnds(of: component, &missing) else {
                splitComponent(component)
                continue
            }
            // Were there a way round each missing relationship, every way that led over it would
            // have a way round too. Once looking for those has taken as long as finding the
            // components anew, that is done instead.
            var budget = self[component].members.count
            let holds = missing.allSatisfy { source, target in
                hasInnerPath(from: source, to: target, budget: &budget)
            }
            if !holds || self[component].members.count <= 1 { splitComponent(component) }
        }
    }

    /// Takes those members out of a component that no longer lead to another one, or to which no
    /// other one leads any more.
    ///
    /// What led over such a member must have a way round it: each missing relationship of its is
    /// replaced by those that would have bridged it.
    ///
    /// - Returns: Whether that was done; not if the bridges would be many.
    private mutating func expelDeadEnds(
        of component: WatchComponentID,
        _ missing: inout [(source: WatchNodeID, target: WatchNodeID)]
    ) -> Bool {
        guard missing.count <= Self.fewMissing else { return true }
        var candidates = missing.flatMap { [$0.source, $0.target] }
        while let node = candidates.popLast() {
            guard self[node].component == component else { continue }
            let isEnd = !self[node].related.contains {
                $0.node != node && isInSameComponent(node, $0.node)
            }
            let isStart = !self[node].dependents.inner.contains { $0.node != node }
            guard isEnd || isStart else { continue }
            let sources = self[node].dependents.inner.map(\.node).filter { $0 != node }
            let targets = self[node].related.map(\.node).filter {
                $0 != node && isInSameComponent(node, $0)
            }
            let lostTargets = missing.filter { $0.source == node }.map(\.target)
            let lostSources = missing.filter { $0.target == node }.map(\.source)
            let before = sources + lostSources
            let after = targets + lostTargets
            guard before.count * after.count <= Self.fewMissing else { return false }
            missing.removeAll { $0.source == node || $0.target == node }
            for source in before where source != node {
                for target in after where target != node && target != source {
                    missing.append((source, target))
                }
            }
            expel(node)
            candidates += sources + targets
        }
        return true
    }

    /// How many missing relationships are looked at one by one.
    private static var fewMissing: Int { 64 }

    /// Returns whether a member of a component is found to reach another one inside it.
    ///
    /// Searches from both ends, the smaller frontier first, until the budget of nodes is used up.
    private mutating func hasInnerPath(
        from source: WatchNodeID,
        to target: WatchNodeID,
        budget: inout Int
    ) -> Bool {
        if source == target { return true }
        let forward = beginWalk()
        let backward = beginWalk()
        var ahead = [source]
        var behind = [target]
        self[source].mark.walk = forward
        self[target].mark.walk = backward
        while !ahead.isEmpty, !behind.isEmpty, budget > 0 {
            let goesForward = ahead.count <= behind.count
            let (own, other) = goesForward ? (forward, backward) : (backward, forward)
            var next: [WatchNodeID] = []
            for node in goesForward ? ahead : behind {
                let edges = goesForward ? self[node].related : self[node].dependents.inner
                budget -= edges.count
                for edge in edges where isInSameComponent(node, edge.node) {
                    if self[edge.node].mark.walk == other { return true }
                    guard self[edge.node].mark.walk != own else { continue }
                    self[edge.node].mark.walk = own
                    next.append(edge.node)
                }
            }
            if goesForward { ahead = next } else { behind = next }
        }
        return false
    }

    private mutating func splitComponent(_ component: WatchComponentID) {
        let members = self[component].members
        for (order, node) in members.enumerated() { self[node].mark.order = Int32(order) }
        var graph = CompactGraph()
        for node in members {
            let inner = self[node].related.filter { isInSameComponent(node, $0.node) }
            graph.appendVertex(edgesTo: inner.map { self[$0.node].mark.order })
        }
        dissolve(component)
        for part in graph.stronglyConnectedComponents() {
            join(part.map { WatchUnit(members[Int($0)]) })
        }
    }
}
