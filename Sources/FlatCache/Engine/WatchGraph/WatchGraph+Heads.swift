// Most nodes have one dependent and no observer of their own. Such a node is reached by the
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
