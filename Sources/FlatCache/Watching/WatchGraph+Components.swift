// The effects of single changes on the components. `WatchGraph+Condensation` finds components.
extension WatchGraph {
    /// Returns the component of a node, or the node itself if it is a single node.
    func unit(of node: WatchNodeID) -> WatchUnit {
        let component = self[node].component
        return component == .none ? WatchUnit(node) : WatchUnit(component)
    }

    func members(of unit: WatchUnit) -> [WatchNodeID] {
        if let component = unit.component { self[component].members } else { [unit.node] }
    }

    func isInSameComponent(_ left: WatchNodeID, _ right: WatchNodeID) -> Bool {
        self[left].component != .none && self[left].component == self[right].component
    }

    subscript(mark unit: WatchUnit) -> WalkMark {
        get {
            if let component = unit.component { self[component].mark } else { self[unit.node].mark }
        }
        set {
            if let component = unit.component {
                self[component].mark = newValue
            } else {
                self[unit.node].mark = newValue
            }
        }
    }

    /// Appends the nodes outside a unit that refer to it, once for each relationship.
    func appendDependents(of unit: WatchUnit, to nodes: inout [WatchNodeID]) {
        guard let component = unit.component else {
            for edge in self[unit.node].dependents.outer { nodes.append(edge.node) }
            return
        }
        for member in self[component].entered {
            for edge in self[member].dependents.outer { nodes.append(edge.node) }
        }
    }

    func appendObserved(of unit: WatchUnit, to nodes: inout [WatchNodeID]) {
        if let component = unit.component {
            nodes.append(contentsOf: self[component].observed)
        } else if !self[unit.node].observers.isEmpty {
            nodes.append(unit.node)
        }
    }

    func isObserved(_ unit: WatchUnit) -> Bool {
        if let component = unit.component {
            !self[component].observed.isEmpty
        } else {
            !self[unit.node].observers.isEmpty
        }
    }

    /// Updates a component's observed members, or the head of a single node, after a change to the
    /// node's observers.
    mutating func markObserved(_ node: WatchNodeID) {
        updateSoleDependent(of: node)
        let component = self[node].component
        guard component != .none else { return }
        if self[node].observers.isEmpty {
            self[component].observed.remove(node)
        } else {
            self[component].observed.insert(node)
        }
    }

    mutating func recordEdgeAdded(to target: WatchNodeID, isInner: Bool) {
        guard !isInner else { return }
        condensationCredit += Self.creditPerEdge
        updateSoleDependent(of: target)
        let component = self[target].component
        if component != .none { self[component].entered.insert(target) }
    }

    mutating func recordEdgeRemoved(from source: WatchNodeID, to target: WatchNodeID, isInner: Bool)
    {
        let component = self[target].component
        guard component != .none else { return updateSoleDependent(of: target) }
        if isInner {
            if self[component].removedEdges.isEmpty { loosenedComponents.append(component) }
            self[component].removedEdges.append((source, target))
        } else if self[target].dependents.outer.isEmpty {
            self[component].entered.remove(target)
        }
    }

    /// Joins several units into one component.
    ///
    /// Each of the units that is a component must be strongly connected. The largest one takes in
    /// the others, so a node changes its component O(log *n*) times while a component grows to *n*
    /// nodes.
    mutating func join(_ units: [WatchUnit]) {
        let largest = units.compactMap(\.component).max {
            self[$0].members.count < self[$1].members.count
        }
        let component = largest ?? makeComponent()
        let joinWalk = beginWalk()
        var joining: [WatchNodeID] = []
        for unit in units where unit.component != component {
            joining += members(of: unit)
            if let absorbed = unit.component { freeComponent(absorbed) }
        }
        for node in joining {
            self[node].component = component
            self[node].memberPosition = Int32(self[component].members.count)
            self[node].mark.walk = joinWalk
            self[component].members.append(node)
            updateSoleDependent(of: node)
        }
        for node in joining { moveEdgesInward(of: node, joinedIn: joinWalk) }
        for node in joining {
            if !self[node].observers.isEmpty { self[component].observed.insert(node) }
            if !self[node].dependents.outer.isEmpty { self[component].entered.insert(node) }
        }
    }

    /// Moves a node's relationships with members of its component to the inner lists.
    private mutating func moveEdgesInward(of node: WatchNodeID, joinedIn joinWalk: UInt64) {
        let component = self[node].component
        var position = 0
        while position < self[node].dependents.outer.count {
            if self[self[node].dependents.outer[position].node].component == component {
                moveDependentInward(of: node, at: position)
            } else {
                position += 1
            }
        }
        // Relationships with other joining nodes are moved when those nodes' dependents are moved.
        for position in self[node].related.indices {
            let edge = self[node].related[position]
            guard self[edge.node].component == component, self[edge.node].mark.walk != joinWalk
            else { continue }
            moveDependentInward(of: edge.node, at: Int(edge.position))
            if self[edge.node].dependents.outer.isEmpty {
                self[component].entered.remove(edge.node)
            }
        }
    }

    private mutating func moveDependentInward(of target: WatchNodeID, at position: Int) {
        let edge = self[target].dependents.outer[position]
        removeDependent(of: target, at: position, isInner: false)
        let newPosition = Int32(self[target].dependents.inner.count)
        self[target].dependents.inner.append(edge)
        self[edge.node].related[Int(edge.position)].position = newPosition
    }

    private mutating func moveDependentsOutward(of node: WatchNodeID) {
        for edge in self[node].dependents.inner {
            let newPosition = Int32(self[node].dependents.outer.count)
            self[node].dependents.outer.append(edge)
            self[edge.node].related[Int(edge.position)].position = newPosition
        }
        self[node].dependents.inner = EdgeList()
    }

    /// Makes each member of a component a single node.
    mutating func dissolve(_ component: WatchComponentID) {
        let members = self[component].members
        for node in members { moveDependentsOutward(of: node) }
        for node in members { self[node].component = .none }
        for node in members { updateSoleDependent(of: node) }
        freeComponent(component)
    }

    /// Removes one member from its component, and makes it a single node.
    mutating func expel(_ node: WatchNodeID) {
        let component = self[node].component
        let position = Int(self[node].memberPosition)
        let last = self[component].members.removeLast()
        if last != node {
            self[component].members[position] = last
            self[last].memberPosition = Int32(position)
        }
        moveDependentsOutward(of: node)
        for position in self[node].related.indices {
            let edge = self[node].related[position]
            guard edge.node != node, self[edge.node].component == component else { continue }
            removeDependent(of: edge.node, at: Int(edge.position), isInner: true)
            let newPosition = Int32(self[edge.node].dependents.outer.count)
            self[edge.node].dependents.outer.append(.init(node: node, position: Int32(position)))
            self[node].related[position].position = newPosition
            self[component].entered.insert(edge.node)
        }
        self[component].observed.remove(node)
        self[component].entered.remove(node)
        self[node].component = .none
        updateSoleDependent(of: node)
    }

    private mutating func makeComponent() -> WatchComponentID {
        if let place = freeComponents.popLast() { return place }
        components.append(WatchComponent())
        return WatchComponentID(index: Int32(components.count - 1))
    }

    private mutating func freeComponent(_ component: WatchComponentID) {
        self[component] = WatchComponent()
        freeComponents.append(component)
        // `loosenedComponents` may still contain the component. An empty one has lost no
        // relationships.
    }
}
