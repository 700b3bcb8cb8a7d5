/// A naive reference: confirmed values, and the operations of layers on them.
struct LayeredModel<ID: Hashable, Value: Equatable> {
    /// An operation of a layer.
    struct Operation {
        enum Kind {
            case set, update, remove
        }

        var kind: Kind
        var apply: (Value?) -> Value?
        /// Returns the operation with an element's identifier replaced.
        var renamed: (_ old: Int, _ new: Int) -> Operation? = { _, _ in nil }
    }

    struct Part {
        let layer: Int
        var operations: [Operation]
        var isHeld = false
    }

    var confirmed: [ID: Value] = [:]
    var stacks: [ID: [Part]] = [:]

    func visible(_ id: ID) -> Value? {
        (stacks[id] ?? []).flatMap(\.operations).reduce(confirmed[id]) { $1.apply($0) }
    }

    func isPending(_ id: ID) -> Bool { stacks[id]?.contains { !$0.isHeld } ?? false }

    mutating func add(_ operation: Operation, _ id: ID, by layer: Int, isHeld: Bool = false) {
        var stack = stacks[id] ?? []
        if let index = stack.firstIndex(where: { $0.layer == layer }) {
            stack[index].operations.append(operation)
        } else {
            stack.append(Part(layer: layer, operations: [operation], isHeld: isHeld))
            stack.sort { $0.layer < $1.layer }
        }
        stacks[id] = stack
    }

    /// Applies the operations of a layer to the confirmed values; returns the identifiers that the
    /// layer has removed last.
    mutating func apply(_ layer: Int) -> Set<ID> {
        var removed: Set<ID> = []
        for id in ids(of: layer) {
            guard var stack = stacks[id],
                let index = stack.firstIndex(where: { $0.layer == layer })
            else { continue }
            confirmed[id] = stack[index].operations.reduce(confirmed[id]) { $1.apply($0) }
            // An update after a removal has no effect, since the entity doesn't exist.
            if stack[index].operations.last(where: { $0.kind != .update })?.kind == .remove {
                removed.insert(id)
            }
            if stack[..<index].contains(where: { !$0.isHeld }) {
                stack[index].isHeld = true
            } else {
                stack.remove(at: index)
            }
            stacks[id] = stack
        }
        return removed
    }

    /// Removes the operations of a layer, and keeps its place for others.
    mutating func clear(_ layer: Int) {
        for id in ids(of: layer) {
            stacks[id] = stacks[id]?.map {
                $0.layer == layer ? Part(layer: layer, operations: []) : $0
            }
        }
    }

    /// Removes the places that have no operations.
    mutating func removeCleared() {
        for id in stacks.keys { stacks[id]?.removeAll(where: \.operations.isEmpty) }
        settle()
    }

    mutating func rollBack(_ layer: Int) {
        for id in ids(of: layer) { stacks[id]?.removeAll { $0.layer == layer && !$0.isHeld } }
        settle()
    }

    /// Applies the held operations that no longer wait for an older layer.
    mutating func settle() {
        for id in stacks.keys {
            while let first = stacks[id]?.first, first.isHeld {
                confirmed[id] = first.operations.reduce(confirmed[id]) { $1.apply($0) }
                stacks[id]?.removeFirst()
            }
            if stacks[id]?.isEmpty ?? false { stacks[id] = nil }
        }
    }

    mutating func rename(_ old: ID, _ new: ID) {
        confirmed[old] = nil
        for part in stacks.removeValue(forKey: old) ?? [] {
            for operation in part.operations where operation.kind != .set {
                add(operation, new, by: part.layer, isHeld: part.isHeld)
            }
        }
    }

    mutating func renameElement(_ old: Int, _ new: Int) {
        stacks = stacks.mapValues { stack in
            stack.map { part in
                var part = part
                part.operations = part.operations.map { $0.renamed(old, new) ?? $0 }
                return part
            }
        }
    }

    private func ids(of layer: Int) -> [ID] {
        stacks.filter { $0.value.contains { $0.layer == layer } }.map(\.key)
    }
}
