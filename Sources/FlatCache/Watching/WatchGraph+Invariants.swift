extension WatchGraph {
    /// Traps unless the graph is valid.
    ///
    /// Edges must agree in both directions. An entity must be watched exactly if an observation
    /// reaches it. Bounded observations and the nodes that they reach must agree.
    ///
    /// For tests, between commits.
    ///
    /// - Complexity: O(*n*) in the size of the graph.
    func checkInvariants() {
        var missing = 0
        var nodesOfBounded = 0
        for id in allNodes {
            let node = self[id]
            precondition(!node.isFree, "The place of \(node.key) is marked as unused.")
            precondition(
                node.isReached || !node.boundedObservers.isEmpty,
                "\(node.key) is watched though no observer reaches it."
            )
            precondition(
                node.isReached || node.related.isEmpty && node.observers.isEmpty,
                "\(node.key) has relationships or observers though it is not reached."
            )
            if node.entry == nil { missing += 1 }
            checkEdges(of: id)
            node.boundedObservers.forEach { observer in
                let registration = observer.observer.registration
                precondition(
                    bounded[registration]?.reach.contains(id) == true,
                    "\(node.key) is in no list of observer \(registration)."
                )
                nodesOfBounded += 1
            }
        }
        precondition(missing == missingCount, "The count of missing entries is wrong.")
        precondition(
            bounded.values.reduce(0) { $0 + $1.reach.count } == nodesOfBounded,
            "A bounded observation lists a node that doesn't list it."
        )
        checkReached()
        checkComponents()
        checkHeads()
    }

    private func checkEdges(of id: WatchNodeID) {
        for (position, edge) in self[id].related.enumerated() {
            let isInner = isInSameComponent(id, edge.node)
            let reverse = self[edge.node].dependents[inner: isInner][Int(edge.position)]
            precondition(
                reverse.node == id && reverse.position == Int32(position),
                "An edge from \(self[id].key) has no reverse in \(self[edge.node].key)."
            )
        }
        for isInner in [false, true] {
            for (position, edge) in self[id].dependents[inner: isInner].enumerated() {
                let forward = self[edge.node].related[Int(edge.position)]
                precondition(
                    forward.node == id && forward.position == Int32(position),
                    "A reverse edge of \(self[id].key) has no edge in \(self[edge.node].key)."
                )
                precondition(
                    isInSameComponent(id, edge.node) == isInner,
                    "An edge to \(self[id].key) is in the wrong list of dependents."
                )
            }
        }
    }

    private func checkComponents() {
        let used = Set(allNodes.map { self[$0].component }).subtracting([.none])
        for component in used {
            let members = Set(allNodes.filter { self[$0].component == component })
            precondition(
                members == Set(self[component].members)
                    && members.count == self[component].members.count,
                "A component must list its members."
            )
            for (position, member) in self[component].members.enumerated() {
                precondition(
                    self[member].memberPosition == Int32(position),
                    "A member must store its position."
                )
            }
            precondition(
                self[component].observed == members.filter { !self[$0].observers.isEmpty },
                "A component must list its observed members."
            )
            precondition(
                self[component].entered == members.filter { !self[$0].dependents.outer.isEmpty },
                "A component must list the members with dependents outside."
            )
            guard self[component].removedEdges.isEmpty else { continue }
            let order = Dictionary(uniqueKeysWithValues: zip(self[component].members, Int32(0)...))
            var graph = CompactGraph()
            for member in self[component].members {
                graph.appendVertex(edgesTo: self[member].related.compactMap { order[$0.node] })
            }
            precondition(
                graph.stronglyConnectedComponents().first?.count == members.count,
                "Each member of a component must reach each other one."
            )
        }
    }

    private func checkHeads() {
        // Finding a root changes the forest.
        var forest = forest
        for id in allNodes {
            guard let dependent = soleDependent(of: id) else {
                precondition(
                    forest.root(of: id.index) == id.index,
                    "The head of \(self[id].key) must be itself or its component."
                )
                continue
            }
            precondition(
                self[id].component == .none && self[id].observers.isEmpty
                    && self[id].dependents.outer.map(\.node) == [dependent],
                "\(self[id].key) is a head: it must not be below another node."
            )
            precondition(
                forest.root(of: id.index) == forest.root(of: dependent.index),
                "\(self[id].key) must have the head of its sole dependent."
            )
        }
    }

    private func checkReached() {
        var stack = allNodes.filter { !self[$0].observers.isEmpty }
        var seen = Set(stack)
        while let id = stack.popLast() {
            precondition(self[id].isReached, "\(self[id].key) is reached but not watched.")
            for edge in self[id].related where seen.insert(edge.node).inserted {
                stack.append(edge.node)
            }
        }
        for id in allNodes where self[id].isReached {
            precondition(seen.contains(id), "\(self[id].key) is watched but not reached.")
        }
    }
}
