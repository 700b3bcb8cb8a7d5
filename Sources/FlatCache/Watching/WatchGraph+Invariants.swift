// The rules that hold between commits, for tests.
extension WatchGraph {
    /// Traps unless the graph is valid.
    ///
    /// Edges must agree in both directions. An entity must be watched exactly if an observation
    /// reaches it. Bounded observations and the nodes that they reach must agree.
    ///
    /// - Complexity: O(*n*) in the size of the graph.
    func checkInvariants() {
        for id in allNodes {
            let node = self[id]
            let isBounded = !node.boundedObservers.isEmpty
            let isUnlinked = node.related.isEmpty && node.observers.isEmpty
            check(id, !node.isFree, "has a place that is marked as unused")
            check(id, node.isReached || isBounded && isUnlinked, "is watched but not reached")
            let areListed = node.boundedObservers.allSatisfy {
                bounded[$0.observer.registration]?.reach.contains(id) ?? false
            }
            check(id, areListed, "isn't in the list of a bounded observation that it lists")
            checkEdges(of: id)
        }
        let missing = allNodes.count { self[$0].entry == nil }
        precondition(missing == missingCount, "The count of missing entries is wrong.")
        precondition(
            bounded.values.reduce(0) { $0 + $1.reach.count }
                == allNodes.reduce(0) { $0 + self[$1].boundedObservers.count },
            "A bounded observation lists a node that doesn't list it."
        )
        checkReached()
        for component in Set(allNodes.map { self[$0].component }).subtracting([.none]) {
            check(component)
        }
        checkHeads()
    }

    private func check(_ node: WatchNodeID, _ holds: Bool, _ violation: String) {
        precondition(holds, "\(self[node].key) \(violation).")
    }

    private func checkEdges(of id: WatchNodeID) {
        for (position, edge) in self[id].related.enumerated() {
            let isInner = isInSameComponent(id, edge.node)
            let reverse = self[edge.node].dependents[inner: isInner][Int(edge.position)]
            let agrees = reverse.node == id && reverse.position == Int32(position)
            check(id, agrees, "has an edge without a reverse in \(self[edge.node].key)")
        }
        for isInner in [false, true] {
            for (position, edge) in self[id].dependents[inner: isInner].enumerated() {
                let forward = self[edge.node].related[Int(edge.position)]
                let agrees = forward.node == id && forward.position == Int32(position)
                check(id, agrees, "has a reverse edge without an edge in \(self[edge.node].key)")
                let isListed = isInSameComponent(id, edge.node) == isInner
                check(id, isListed, "has an edge in the wrong list of dependents")
            }
        }
    }

    private func checkReached() {
        var found = allNodes.filter { !self[$0].observers.isEmpty }
        var seen = Set(found)
        while let id = found.popLast() {
            found += self[id].related.map(\.node).filter { seen.insert($0).inserted }
        }
        for id in allNodes {
            check(id, self[id].isReached == seen.contains(id), "is marked wrongly as reached")
        }
    }

    /// Checks that a component lists its members, which all reach each other.
    private func check(_ component: WatchComponentID) {
        let listed = self[component].members
        let members = allNodes.filter { self[$0].component == component }
        precondition(
            Set(members) == Set(listed) && members.count == listed.count
                && listed.indices.allSatisfy { self[listed[$0]].memberPosition == Int32($0) },
            "A component must list its members, and a member must store its position."
        )
        precondition(
            self[component].observed == Set(members.filter { !self[$0].observers.isEmpty })
                && self[component].entered
                    == Set(members.filter { !self[$0].dependents.outer.isEmpty }),
            "A component must list its members that are observed or have dependents outside."
        )
        guard self[component].removedEdges.isEmpty else { return }
        let order = Dictionary(uniqueKeysWithValues: zip(listed, Int32(0)...))
        var graph = CompactGraph()
        for member in listed {
            graph.appendVertex(edgesTo: self[member].related.compactMap { order[$0.node] })
        }
        precondition(
            graph.stronglyConnectedComponents().first?.count == members.count,
            "Each member of a component must reach each other one."
        )
    }

    private func checkHeads() {
        // The original's roots may be searched without a change to it.
        var forest = forest
        for id in allNodes {
            let root = forest.root(of: id.index)
            guard let dependent = soleDependent(of: id) else {
                check(id, root == id.index, "must be its own head")
                continue
            }
            let isBelow =
                self[id].component == .none && self[id].observers.isEmpty
                && self[id].dependents.outer.map(\.node) == [dependent]
            check(id, isBelow, "is a head, so it must not be below another node")
            let hasSameHead = root == forest.root(of: dependent.index)
            check(id, hasSameHead, "must have the head of its sole dependent")
        }
    }
}
