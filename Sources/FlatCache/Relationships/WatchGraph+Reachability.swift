extension WatchGraph {
    /// Lets the nodes go that have lost the last observation that reached them, cycles included.
    ///
    /// From each suspect it searches the dependents for an observer. If there is none, none of the
    /// nodes that the search has visited is reached, since what reached one of them would have been
    /// visited too. To know a node as reached takes no longer than to notify its observers; should
    /// the searches of one call visit more than the graph has, one mark-and-sweep over all of it takes
    /// their place.
    ///
    /// - Complexity: O(*n*) at most in the size of the graph.
    mutating func dropUnreached() {
        guard !suspects.isEmpty else { return }
        let round = beginWalk()
        var steps = 0
        while let suspect = suspects.popLast() {
            guard !self[suspect].isFree, self[suspect].isReached,
                self[suspect].provenReached != round
            else { continue }
            guard steps <= count * 4 else { return markAndSweep() }
            let visited = searchForObserver(of: suspect, round: round, steps: &steps)
            for id in visited { unreach(id) }
            for id in visited { freeIfUnused(id) }
        }
    }

    /// Returns the nodes that reach a suspect, itself included, if no observer is among them; marks the
    /// way to the observer as reached, and returns none, if there is one.
    private mutating func searchForObserver(
        of suspect: WatchNodeID,
        round: UInt64,
        steps: inout Int
    ) -> [WatchNodeID] {
        let walk = beginWalk()
        var visited = [suspect]
        var stack = [suspect]
        self[suspect].visit = walk
        self[suspect].visitedFrom = .none
        while let id = stack.popLast() {
            steps += 1
            guard self[id].observers.isEmpty, self[id].provenReached != round else {
                var proven = id
                while proven != .none {
                    self[proven].provenReached = round
                    proven = self[proven].visitedFrom
                }
                return []
            }
            for position in self[id].dependents.indices {
                let dependent = self[id].dependents[position].node
                steps += 1
                guard self[dependent].visit != walk else { continue }
                self[dependent].visit = walk
                self[dependent].visitedFrom = id
                visited.append(dependent)
                stack.append(dependent)
            }
        }
        return visited
    }

    private mutating func markAndSweep() {
        suspects = []
        let walk = beginWalk()
        var stack: [WatchNodeID] = []
        let nodes = Array(allNodes)
        for id in nodes where !self[id].observers.isEmpty {
            self[id].visit = walk
            stack.append(id)
        }
        while let id = stack.popLast() {
            for edge in self[id].related where self[edge.node].visit != walk {
                self[edge.node].visit = walk
                stack.append(edge.node)
            }
        }
        let unreached = nodes.filter { self[$0].isReached && self[$0].visit != walk }
        for id in unreached { unreach(id) }
        for id in unreached { freeIfUnused(id) }
        suspects = []
    }

    /// Takes the mark and the relationships from a node that nothing reaches any more.
    private mutating func unreach(_ id: WatchNodeID) {
        self[id].isReached = false
        while let last = self[id].related.indices.last {
            removeEdge(from: id, at: last)
        }
    }
}
