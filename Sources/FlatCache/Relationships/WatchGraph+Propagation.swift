/// An observed node that a commit reaches: whom to notify, and why.
struct Reached {
    let node: WatchNodeID
    let subscriptions: [AnySubscription]
    /// The changed nodes that reach this one, as far as one of the observers asks for causes.
    let causes: [WatchNodeID]
}

extension WatchGraph {
    /// Finds the observations that changed nodes reach: against the direction of the relationships,
    /// each node once, with an explicit stack.
    ///
    /// - Complexity: O(*n*) in the number of nodes and relationships from which a changed node can be
    ///   reached, if no observer that is found asks for causes; else that many times the number of
    ///   changed nodes or of the observed ones, whichever is less.
    mutating func observed(reachedBy changed: [WatchNodeID]) -> [Reached] {
        var result: [Reached] = []
        let roots = observedDependents(of: changed)
        let asking = roots.filter { root in
            var asks = false
            self[root].observers.forEach { asks = asks || $0.wantsCauses }
            return asks
        }
        let causes = causes(of: asking, among: changed)
        for root in roots {
            var subscriptions: [AnySubscription] = []
            subscriptions.reserveCapacity(self[root].observers.count)
            self[root].observers.forEach { subscriptions.append($0) }
            result.append(
                Reached(node: root, subscriptions: subscriptions, causes: causes[root] ?? [])
            )
        }
        return result + boundedObserved(reachedBy: changed)
    }

    /// The observed nodes from which one of the given can be reached.
    private mutating func observedDependents(of starts: [WatchNodeID]) -> [WatchNodeID] {
        let walk = beginWalk()
        var observed: [WatchNodeID] = []
        var stack: [WatchNodeID] = []
        for id in starts where self[id].visit != walk {
            self[id].visit = walk
            stack.append(id)
        }
        while let id = stack.popLast() {
            if !self[id].observers.isEmpty { observed.append(id) }
            for position in self[id].dependents.indices {
                let dependent = self[id].dependents[position].node
                guard self[dependent].visit != walk else { continue }
                self[dependent].visit = walk
                stack.append(dependent)
            }
        }
        return observed
    }

    /// Which of the changed nodes reach each of the asking ones.
    private mutating func causes(
        of asking: [WatchNodeID],
        among changed: [WatchNodeID]
    ) -> [WatchNodeID: [WatchNodeID]] {
        var causes: [WatchNodeID: [WatchNodeID]] = [:]
        if asking.isEmpty { return causes }
        if changed.count <= asking.count {
            let asking = Set(asking)
            for cause in changed {
                for id in observedDependents(of: [cause]) where asking.contains(id) {
                    causes[id, default: []].append(cause)
                }
            }
        } else {
            let changed = Set(changed)
            for id in asking {
                causes[id] = reachable(from: id).filter(changed.contains)
            }
        }
        return causes
    }

    private mutating func reachable(from start: WatchNodeID) -> [WatchNodeID] {
        let walk = beginWalk()
        var found = [start]
        self[start].visit = walk
        var next = 0
        while next < found.count {
            for edge in self[found[next]].related where self[edge.node].visit != walk {
                self[edge.node].visit = walk
                found.append(edge.node)
            }
            next += 1
        }
        return found
    }

    private func boundedObserved(reachedBy changed: [WatchNodeID]) -> [Reached] {
        guard !bounded.isEmpty else { return [] }
        var causes: [UInt64: [WatchNodeID]] = [:]
        for id in changed {
            self[id].boundedObservers.forEach { observer in
                causes[observer.subscription.registration, default: []].append(id)
            }
        }
        return causes.compactMap { registration, causes in
            guard let subscription = bounded[registration]?.subscription,
                let node = node(of: subscription.key)
            else { return nil }
            return Reached(node: node, subscriptions: [subscription], causes: causes)
        }
    }
}
