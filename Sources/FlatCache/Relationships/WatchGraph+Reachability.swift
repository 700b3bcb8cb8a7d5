extension WatchGraph {
    /// Lets the nodes go that have lost the last observation that reached them, cycles included.
    ///
    /// From each suspect it searches the dependents for an observer. If there is none, none of the
    /// units that the search has visited is reached, since what reached one of them would have been
    /// visited too. To know a node as reached takes no longer than to notify its observers; should
    /// the searches of one call visit more than the graph has, one mark-and-sweep over all of it takes
    /// their place.
    ///
    /// - Complexity: O(*n*) at most in the size of the graph.
    mutating func dropUnreached() {
        guard !suspects.isEmpty else { return }
        tightenComponents()
        let round = beginWalk()
        var steps = 0
        while let suspect = suspects.popLast() {
            guard !self[suspect].isFree, self[suspect].isReached,
                self[mark: unit(of: suspect)].provenReached != round
            else { continue }
            guard steps <= count * 4 else { return markAndSweep() }
            let unreached = unitsReachingUnobserved(unit(of: suspect), round: round, steps: &steps)
            drop(unreached.flatMap { members(of: $0) })
        }
    }

    /// Returns the units that reach a suspect, itself included, if none of them is observed.
    ///
    /// If one is, marks the way to it as reached and returns none.
    private mutating func unitsReachingUnobserved(
        _ suspect: WatchUnit,
        round: UInt64,
        steps: inout Int
    ) -> [WatchUnit] {
        let walk = beginWalk()
        var visited: [WatchUnit] = []
        var stack: [WatchUnit] = []
        var dependents: [WatchUnit] = []
        visit(suspect, from: .none, in: walk, &visited)
        stack.append(suspect)
        while let unit = stack.popLast() {
            steps += 1
            if isObserved(unit) || self[mark: unit].provenReached == round {
                var proven = unit
                while proven != .none {
                    self[mark: proven].provenReached = round
                    proven = self[mark: proven].origin
                }
                return []
            }
            dependents.removeAll(keepingCapacity: true)
            appendDependents(of: unit, to: &dependents)
            steps += dependents.count
            for dependent in dependents where visit(dependent, from: unit, in: walk, &visited) {
                stack.append(dependent)
            }
        }
        return visited
    }

    /// Marks a unit as visited and appends it; returns false if the walk has visited it before.
    @discardableResult
    mutating func visit(
        _ unit: WatchUnit,
        from origin: WatchUnit,
        in walk: UInt64,
        _ visited: inout [WatchUnit]
    ) -> Bool {
        var mark = self[mark: unit]
        guard mark.walk != walk else { return false }
        mark.walk = walk
        mark.origin = origin
        mark.order = Int32(visited.count)
        self[mark: unit] = mark
        visited.append(unit)
        return true
    }

    private mutating func markAndSweep() {
        let walk = beginWalk()
        var stack: [WatchNodeID] = []
        let nodes = Array(allNodes)
        for id in nodes where !self[id].observers.isEmpty {
            self[id].mark.walk = walk
            stack.append(id)
        }
        while let id = stack.popLast() {
            for edge in self[id].related where self[edge.node].mark.walk != walk {
                self[edge.node].mark.walk = walk
                stack.append(edge.node)
            }
        }
        drop(nodes.filter { self[$0].isReached && self[$0].mark.walk != walk })
        suspects = []
    }

    /// Takes everything from nodes that nothing reaches any more, and lets them go.
    private mutating func drop(_ nodes: [WatchNodeID]) {
        for id in nodes where self[id].component != .none { dissolve(self[id].component) }
        for id in nodes {
            self[id].isReached = false
            while let last = self[id].related.indices.last { removeEdge(from: id, at: last) }
        }
        for id in nodes { freeIfUnused(id) }
    }
}
