// The search for components. Known components are kept, and searched for anew only where
// relationships were added or removed.
extension WatchGraph {
    /// The credit for finding components that each new relationship adds, in steps of a walk.
    ///
    /// Thus the search costs at most a constant time for each new relationship, even if walks often
    /// visit many units that aren't strongly connected.
    static var creditPerEdge: Int { 8 }

    /// Finds components among the heads that a walk has visited, if it took many steps and new
    /// relationships have added enough credit.
    ///
    /// The heads must be all that reach the first ones, in the order of their marks. Then each of
    /// their components lies entirely among them and the nodes between them.
    mutating func condense(_ walk: DependentWalk) {
        guard walk.steps > shortWalkLimit, condensationCredit >= walk.steps else { return }
        condensationCredit -= walk.steps
        var reversed = CompactGraph()
        var dependents: [WatchNodeID] = []
        var returning: [Int32] = []
        for (order, unit) in walk.heads.enumerated() {
            dependents.removeAll(keepingCapacity: true)
            appendDependents(of: unit, to: &dependents)
            let orders = dependents.map { dependent in
                let head = head(of: dependent)
                return self[mark: head].order
            }
            if orders.contains(Int32(order)) { returning.append(Int32(order)) }
            reversed.appendVertex(edgesTo: orders)
        }
        var groups = reversed.stronglyConnectedComponents()
        // A head that has a path to itself alone is in a component with the nodes between.
        let grouped = Set(groups.joined())
        groups += returning.filter { !grouped.contains($0) }.map { [$0] }
        for group in groups {
            let heads = group.map { walk.heads[Int($0)] }
            let component = heads + unitsBetween(heads)
            if component.count > 1 { join(component) }
        }
    }

    /// Ensures that each component is still strongly connected.
    ///
    /// In a two-way graph of 10,000 entities, an edit that moves a book to another author takes
    /// 0.01 to 0.1 ms. If this method always split the component, the edit would take 33 ms. The
    /// removal of a book also takes 0.1 ms, and 29 ms without `expelDeadEnds`. Row 11b of the
    /// benchmarks repeats such removals: always split, it didn't end in a minute, while rows 10 and
    /// 14 took the same time as now.
    ///
    /// - Complexity: O(*n*) in the size of the components that have lost a relationship; far less
    ///   if there is a short detour, or if the loss separates only a member at the edge.
    mutating func tightenComponents() {
        while let component = loosenedComponents.popLast() {
            var missing = self[component].removedEdges
            self[component].removedEdges = []
            guard expelDeadEnds(of: component, &missing) else {
                splitComponent(component)
                continue
            }
            // If each missing relationship has a detour, each path over it has one too. If the
            // search for detours takes as long as finding the components anew, the component is
            // split instead.
            var budget = self[component].members.count
            let holds = missing.allSatisfy { source, target in
                hasInnerPath(from: source, to: target, budget: &budget)
            }
            if !holds || self[component].members.count <= 1 { splitComponent(component) }
        }
    }

    /// Expels members without relationships to other members, or without dependents among them.
    ///
    /// A path over such a member needs a detour: each missing relationship of the member is
    /// replaced by the relationships that bridge it.
    ///
    /// - Returns: `false` if the bridges would be too many. If too many relationships are missing,
    ///   the method does nothing and returns `true`.
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

    /// The maximum number of missing relationships to examine one by one.
    private static var fewMissing: Int { 64 }

    /// Returns whether the search finds a path between two members of a component inside it.
    ///
    /// The search proceeds from both ends, the smaller frontier first, until the budget of edges is
    /// used up.
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
