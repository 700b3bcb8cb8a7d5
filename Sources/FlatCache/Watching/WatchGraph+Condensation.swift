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

// Most nodes have one dependent and aren't observed themselves. Such a node is reached by the
// observers of its dependent and by no others. For example, if only an observed book refers to an
// author and only the author refers to a country, a change of the country notifies the observers of
// the book. The book is the *head* of the author and of the country. A walk skips the nodes in
// between and goes from head to head.
extension WatchGraph {
    /// Returns the head of a node: the unit at the end of its sole dependents.
    ///
    /// All paths to the node from other units lead over its head, so that the same observers reach
    /// both. The head of an observed node, of a node with several dependents, and of a member of a
    /// component is its own unit.
    ///
    /// - Complexity: O(log *n*), amortized, in the number of nodes.
    mutating func head(of node: WatchNodeID) -> WatchUnit {
        // In two steps: a mutation in the argument would copy the graph.
        let root = forest.root(of: node.index)
        return unit(of: WatchNodeID(index: root))
    }

    /// Returns the only dependent of a node that isn't a head.
    func soleDependent(of node: WatchNodeID) -> WatchNodeID? {
        forest.parent(of: node.index).map(WatchNodeID.init(index:))
    }

    /// Updates the forest after a change to a node's observers, its component, or its dependents
    /// outside its component.
    mutating func updateSoleDependent(of node: WatchNodeID) {
        let dependent = currentSoleDependent(of: node)
        guard dependent != soleDependent(of: node) else { return }
        forest.cut(node.index)
        guard let dependent else { return }
        // A cycle of sole dependents has no root. Unless the node refers to others, it is in none.
        if self[node].related.isEmpty || forest.root(of: dependent.index) != node.index {
            forest.link(node.index, to: dependent.index)
        }
    }

    /// Returns the single nodes over which relationships between heads lead.
    ///
    /// - Complexity: O(*n*) in the number of these nodes and of the heads' dependents.
    mutating func unitsBetween(_ heads: [WatchUnit]) -> [WatchUnit] {
        let walk = beginWalk()
        for head in heads { self[mark: head].walk = walk }
        var between: [WatchUnit] = []
        var dependents: [WatchNodeID] = []
        for head in heads { appendDependents(of: head, to: &dependents) }
        for dependent in dependents {
            let head = head(of: dependent)
            guard self[mark: head].walk == walk else { continue }
            var node = dependent
            while self[mark: unit(of: node)].walk != walk, let parent = soleDependent(of: node) {
                self[node].mark.walk = walk
                between.append(WatchUnit(node))
                node = parent
            }
        }
        return between
    }

    private func currentSoleDependent(of node: WatchNodeID) -> WatchNodeID? {
        guard self[node].component == .none, self[node].observers.isEmpty,
            self[node].dependents.outer.count == 1
        else { return nil }
        return self[node].dependents.outer[0].node
    }
}

/// A directed graph whose vertices are numbered from zero, with contiguous edges for each vertex.
struct CompactGraph {
    private var starts: [Int32] = [0]
    private var targets: [Int32] = []

    var vertexCount: Int { starts.count - 1 }

    /// Adds the next vertex with its edges.
    mutating func appendVertex(edgesTo newTargets: some Sequence<Int32>) {
        targets.append(contentsOf: newTargets)
        starts.append(Int32(targets.count))
    }

    /// Returns the strongly connected components of two or more vertices.
    ///
    /// The algorithm is by Tarjan, "Depth-first search and linear graph algorithms" (1972), with an
    /// explicit stack in place of the recursion.
    ///
    /// - Complexity: O(*v* + *e*) in the numbers of vertices and edges.
    func stronglyConnectedComponents() -> [[Int32]] {
        var components: [[Int32]] = []
        // Zero stands for a vertex that has not been visited.
        var order = [Int32](repeating: 0, count: vertexCount)
        var lowest = order
        var isOpen = [Bool](repeating: false, count: vertexCount)
        var open: [Int32] = []
        var path: [(vertex: Int32, nextEdge: Int32)] = []
        var visited: Int32 = 0

        func visit(_ vertex: Int32) {
            visited += 1
            order[Int(vertex)] = visited
            lowest[Int(vertex)] = visited
            isOpen[Int(vertex)] = true
            open.append(vertex)
            path.append((vertex, starts[Int(vertex)]))
        }

        for root in 0..<Int32(vertexCount) where order[Int(root)] == 0 {
            visit(root)
            while let (vertex, edge) = path.last {
                if edge < starts[Int(vertex) + 1] {
                    path[path.count - 1].nextEdge += 1
                    let target = targets[Int(edge)]
                    if order[Int(target)] == 0 {
                        visit(target)
                    } else if isOpen[Int(target)] {
                        lowest[Int(vertex)] = min(lowest[Int(vertex)], order[Int(target)])
                    }
                    continue
                }
                path.removeLast()
                if let parent = path.last?.vertex {
                    lowest[Int(parent)] = min(lowest[Int(parent)], lowest[Int(vertex)])
                }
                guard lowest[Int(vertex)] == order[Int(vertex)] else { continue }
                let first = open.lastIndex(of: vertex) ?? open.startIndex
                if open.count - first > 1 { components.append(Array(open[first...])) }
                for closed in open[first...] { isOpen[Int(closed)] = false }
                open.removeSubrange(first...)
            }
        }
        return components
    }
}
