extension WatchGraph {
    /// Drops the nodes that observations no longer reach, cycles included.
    ///
    /// The suspects are the nodes that have lost an observer or a dependent. For each of them, the
    /// method searches the dependents for an observer. If there is none, none of the visited heads
    /// is reached, because the search would have visited the observed one. The nodes below a
    /// dropped head lose their only dependent, and so become suspects in turn. Proving that a node
    /// is reached takes no longer than notifying its observers. If the searches
    /// of one call take too many steps for the size of the graph, one mark-and-sweep of the whole
    /// graph replaces them.
    ///
    /// - Complexity: O(*n*) at most in the size of the graph.
    mutating func dropUnreached() {
        guard !suspects.isEmpty else { return }
        defer { forgetFreed() }
        tightenComponents()
        let round = beginWalk()
        var steps = 0
        while let suspect = suspects.popLast() {
            guard !self[suspect].isFree, self[suspect].isReached else { continue }
            if isIsolated(suspect) {
                drop(suspect)
                continue
            }
            let head = head(of: suspect)
            guard self[mark: head].provenReached != round else { continue }
            guard steps <= count * searchStepsPerNode else { return markAndSweep() }
            let unreached = headsReachingUnobserved(head, round: round, steps: &steps)
            let between = unitsBetween(unreached)
            drop((unreached + between).flatMap { members(of: $0) })
        }
    }

    /// Returns the heads that reach a suspect, itself included, if none of them is observed.
    ///
    /// If one of them is observed, marks the path to it as reached and returns an empty array.
    private mutating func headsReachingUnobserved(
        _ suspect: WatchUnit,
        round: UInt64,
        steps: inout Int
    ) -> [WatchUnit] {
        let walk = beginWalk()
        var visited: [WatchUnit] = []
        visit(suspect, from: .none, in: walk, &visited)
        // The search is depth first, one dependent at a time: every reached dependent leads back to
        // an observer, so the first path usually does.
        var path = [DependentCursor(of: suspect, in: self)]
        var current = suspect
        while true {
            steps += 1
            if isObserved(current) || self[mark: current].provenReached == round {
                while current != .none {
                    self[mark: current].provenReached = round
                    current = self[mark: current].origin
                }
                return []
            }
            var next: WatchUnit?
            while next == nil, !path.isEmpty {
                steps += 1
                guard let dependent = nextDependent(&path[path.count - 1]) else {
                    path.removeLast()
                    continue
                }
                let origin = path[path.count - 1].unit
                let head = self.head(of: dependent)
                if visit(head, from: origin, in: walk, &visited) { next = head }
            }
            guard let next else { return visited }
            path.append(DependentCursor(of: next, in: self))
            current = next
        }
    }

    /// Marks a unit as visited and appends it; returns `false` if the walk has visited it before.
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
        let nodes = allNodes
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

    /// Removes the relationships of nodes that observations no longer reach, and frees the nodes.
    private mutating func drop(_ nodes: [WatchNodeID]) {
        for id in nodes where self[id].component != .none { dissolve(self[id].component) }
        for id in nodes {
            self[id].isReached = false
            removeEdges(from: id)
        }
        for id in nodes { freeIfUnused(id) }
    }

    /// Drops a node without dependents.
    private mutating func drop(_ node: WatchNodeID) {
        self[node].isReached = false
        removeEdges(from: node)
        freeIfUnused(node)
    }

    private mutating func removeEdges(from node: WatchNodeID) {
        while let last = self[node].related.indices.last { removeEdge(from: node, at: last) }
    }

    /// Returns whether a node evidently isn't reached, without a search.
    private func isIsolated(_ node: WatchNodeID) -> Bool {
        self[node].component == .none && self[node].observers.isEmpty
            && self[node].dependents.outer.isEmpty
    }

    private func nextDependent(_ cursor: inout DependentCursor) -> WatchNodeID? {
        while cursor.node == .none || cursor.position >= self[cursor.node].dependents.outer.count {
            guard let member = cursor.members.next() else { return nil }
            cursor.node = member
            cursor.position = 0
        }
        defer { cursor.position += 1 }
        return self[cursor.node].dependents.outer[cursor.position].node
    }
}

/// A position among the nodes that refer to a unit.
private struct DependentCursor {
    let unit: WatchUnit
    var node: WatchNodeID
    var position = 0
    var members: Set<WatchNodeID>.Iterator

    init(of unit: WatchUnit, in graph: borrowing WatchGraph) {
        self.unit = unit
        if let component = unit.component {
            node = .none
            members = graph[component].entered.makeIterator()
        } else {
            node = unit.node
            members = Set().makeIterator()
        }
    }
}

extension WatchGraph {
    /// Adds an observation.
    ///
    /// The caller must then set the reach of a bounded observation.
    mutating func add(_ observer: Observer) {
        if observer.following == .allRelationships {
            let id = ensureNode(of: observer.key)
            self[id].observers.insert(observer, for: observer.registration)
            markObserved(id)
            reach(id)
        } else {
            bounded[observer.registration] = (observer, [])
        }
    }

    /// Removes an observation, if it is there.
    mutating func remove(_ observer: Observer) {
        if observer.following == .allRelationships {
            guard let id = node(of: observer.key) else { return }
            self[id].observers.remove(observer.registration)
            guard self[id].observers.isEmpty else { return }
            markObserved(id)
            suspects.append(id)
        } else {
            setReach([], of: observer)
            bounded[observer.registration] = nil
        }
    }

    /// Sets the keys that a bounded observation reaches, with their levels.
    ///
    /// - Complexity: O(*n*) in the number of nodes reached before and after.
    mutating func setReach(
        _ reach: [(key: CacheKey, level: Int)],
        of observer: Observer
    ) {
        let registration = observer.registration
        let previous = bounded[registration]?.reach ?? []
        for id in previous { self[id].boundedObservers.remove(registration) }
        let current = reach.map { key, level in
            let id = ensureNode(of: key)
            let observer = BoundedObserver(observer: observer, level: level)
            self[id].boundedObservers.insert(observer, for: registration)
            return id
        }
        bounded[registration] = (observer, current)
        for id in previous { freeIfUnused(id) }
        forgetFreed()
    }

    /// Returns the bounded observations that follow the relationships of given nodes, in the order
    /// of their registration.
    func boundedEntityObservers(reachingThrough changed: [WatchNodeID]) -> [Observer] {
        guard !bounded.isEmpty else { return [] }
        var found: [UInt64: Observer] = [:]
        for id in changed {
            for observer in self[id].boundedObservers where observer.reachesFurther {
                found[observer.observer.registration] = observer.observer
            }
        }
        return found.values.sorted { $0.registration < $1.registration }
    }

    /// All observations, in the order of their registration.
    var allEntityObservers: [Observer] {
        var observers = bounded.values.map(\.observer)
        for id in allNodes { observers += self[id].observers }
        return observers.sorted { $0.registration < $1.registration }
    }
}
