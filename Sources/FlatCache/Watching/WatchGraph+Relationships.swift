extension WatchGraph {
    /// Sets the relationships of a reached node.
    ///
    /// - Complexity: O(*d*) in the number of relationships before and after.
    mutating func setRelatedKeys(_ keys: Set<CacheKey>, of id: WatchNodeID) {
        // Most changes keep the relationships.
        if !refers(id, exactlyTo: keys) { replaceRelatedKeys(keys, of: id) }
    }

    /// Returns whether the relationships of a reached node are those to some keys.
    ///
    /// - Complexity: O(*d*) in the number of relationships.
    func refers(_ id: WatchNodeID, exactlyTo keys: Set<CacheKey>) -> Bool {
        self[id].related.count == keys.count
            && self[id].related.allSatisfy { keys.contains(self[$0.node].key) }
    }

    /// Replaces the relationships of a reached node.
    ///
    /// - Complexity: O(*d*) in the number of relationships before and after.
    mutating func replaceRelatedKeys(_ keys: some Collection<CacheKey>, of id: WatchNodeID) {
        let old = beginWalk()
        let new = beginWalk()
        for edge in self[id].related { self[edge.node].mark.walk = old }
        for key in keys {
            let target = ensureNode(of: key)
            let mark = self[target].mark.walk
            self[target].mark.walk = new
            guard mark != old, mark != new else { continue }
            addEdge(from: id, to: target)
            reach(target)
        }
        var position = 0
        while position < self[id].related.count {
            if self[self[id].related[position].node].mark.walk == new {
                position += 1
            } else {
                removeEdge(from: id, at: position)
            }
        }
    }

    private mutating func addEdge(from source: WatchNodeID, to target: WatchNodeID) {
        let isInner = isInSameComponent(source, target)
        let position = Int32(self[source].related.count)
        let reversePosition = Int32(self[target].dependents[inner: isInner].count)
        self[source].related.append(.init(node: target, position: reversePosition))
        self[target].dependents[inner: isInner].append(.init(node: source, position: position))
        recordEdgeAdded(to: target, isInner: isInner)
    }

    /// Removes a relationship, whose position the last one takes.
    mutating func removeEdge(from source: WatchNodeID, at position: Int) {
        let edge = self[source].related[position]
        let isInner = isInSameComponent(source, edge.node)
        removeDependent(of: edge.node, at: Int(edge.position), isInner: isInner)
        let last = self[source].related.removeLast()
        if position < self[source].related.count {
            self[source].related[position] = last
            let isLastInner = isInSameComponent(source, last.node)
            self[last.node].dependents[inner: isLastInner][Int(last.position)].position =
                Int32(position)
        }
        recordEdgeRemoved(from: source, to: edge.node, isInner: isInner)
        suspects.append(edge.node)
    }

    /// Removes the reverse end of a relationship, whose position the last one of its list takes.
    mutating func removeDependent(of target: WatchNodeID, at position: Int, isInner: Bool) {
        let last = self[target].dependents[inner: isInner].removeLast()
        guard position < self[target].dependents[inner: isInner].count else { return }
        self[target].dependents[inner: isInner][position] = last
        self[last.node].related[Int(last.position)].position = Int32(position)
    }
}
