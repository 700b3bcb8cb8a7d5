/// The layers of any type.
protocol AnyTableLayers: AnyObject {
    // MARK: Covering

    func uncoverWritten()
    func cover()

    /// Lists the covered entities whose confirmed values the open transaction has changed.
    func recordInJournal(in writer: Writer)

    /// The keys of the entities that the visible values of covered lists or aliases pin.
    var visiblePinned: [CacheKey] { get }

    /// Forgets the open transaction.
    func endTransaction()

    // MARK: Layers

    /// Returns the keys of the entities that a layer changes, without lists and aliases.
    func keys(of layer: UInt64) -> [CacheKey]

    /// Returns the keys of the entities that a layer sets and that have no confirmed value.
    func createdKeys(by layer: UInt64) -> [CacheKey]

    /// Applies the operations of a layer to the confirmed values, before its response is stored.
    ///
    /// - Returns: The keys of the entities that the layer has removed last.
    func confirm(_ layer: UInt64) -> [CacheKey]

    /// Takes the operations of a layer away, as if it had never begun.
    func rollBack(_ layer: UInt64)

    /// Takes the operations of a layer away, and keeps its place for others.
    func clear(_ layer: UInt64)

    /// Gives up the places of a cleared layer for which there are no other operations.
    func removeCleared(_ layer: UInt64)

    /// Applies the held operations that have waited for a layer, after the layer has ended.
    func settle(_ layer: UInt64)

    /// Takes the operations of all layers away, without applying them.
    func removeAll()

    /// Replaces the key of an entity in the operations.
    func replace(_ old: CacheKey, by new: CacheKey)
}

extension TableLayers: AnyTableLayers {
    func keys(of layer: UInt64) -> [CacheKey] {
        if Value.self is any StateOfCache.Type { return [] }
        return entities[layer]?.map { CacheKey(Value.self, id: $0) } ?? []
    }

    func confirm(_ layer: UInt64) -> [CacheKey] {
        var removed: [CacheKey] = []
        for id in entities[layer] ?? [] {
            guard var stack = stacks[id],
                let index = stack.firstIndex(where: { $0.layer == layer })
            else { continue }
            let operations = stack[index].operations
            // An update that follows a removal waits for an entity.
            if operations.last(where: { !$0.isUpdate })?.isRemoval ?? false {
                removed.append(CacheKey(Value.self, id: id))
            }
            if stack[..<index].contains(where: { !$0.isHeld }) {
                stack[index].isHeld = true
            } else {
                stack.remove(at: index)
            }
            applyBeneath(operations, to: id)
            setStack(stack, of: id)
        }
        return removed
    }

    func rollBack(_ layer: UInt64) {
        for id in entities[layer] ?? [] where part(of: layer, on: id) != nil {
            change(id) { stack in stack.removeAll { $0.layer == layer } }
        }
        settle(layer)
    }

    func clear(_ layer: UInt64) {
        for id in entities[layer] ?? [] {
            guard let index = part(of: layer, on: id) else { continue }
            change(id) { $0[index].operations = [] }
        }
    }

    func removeCleared(_ layer: UInt64) {
        let former = entities[layer]
        let cleared = (former ?? []).filter { id in
            part(of: layer, on: id).map { stacks[id]?[$0].operations.isEmpty ?? true } ?? true
        }
        if cleared.isEmpty { return }
        for id in cleared {
            if let index = part(of: layer, on: id) { change(id) { $0.remove(at: index) } }
            settle(id)
        }
        entities[layer]?.removeAll(where: Set(cleared).contains)
        core.writer.addUndo { [self] in entities[layer] = former }
    }

    func settle(_ layer: UInt64) {
        for id in entities[layer] ?? [] { settle(id) }
        let former = entities.removeValue(forKey: layer)
        core.writer.addUndo { [self] in entities[layer] = former }
    }

    /// Applies the held operations on an entity that wait for no older open layer.
    private func settle(_ id: Value.ID) {
        while var stack = stacks[id], let first = stack.first, first.isHeld {
            stack.removeFirst()
            applyBeneath(first.operations, to: id)
            setStack(stack, of: id)
        }
    }

    /// The index of a layer among those of an entity.
    private func part(of layer: UInt64, on id: Value.ID) -> Int? {
        stacks[id]?.firstIndex { $0.layer == layer }
    }

    func removeAll() {
        for id in Array(stacks.keys) { change(id) { $0 = [] } }
        let former = entities
        core.writer.addUndo { [self] in entities = former }
        entities = [:]
    }

    /// Applies operations to the confirmed value of an entity, unless an owner alone writes it.
    private func applyBeneath(_ operations: [LayerOperation<Value>], to id: Value.ID) {
        uncover(id)
        if table.owner != nil { return }
        if let value = apply(operations, to: table.writtenValue(id: id)) {
            _ = core.store(value, merging: false, in: table, core.writer)
        } else if operations.contains(where: \.isRemoval) {
            _ = core.remove(Value.self, id: id)
        }
    }

    // MARK: Identifiers

    func replace(_ old: CacheKey, by new: CacheKey) {
        if let oldID = old.id(as: Value.self), let newID = new.id(as: Value.self) {
            moveOperations(of: oldID, to: newID)
        }
        for (id, stack) in stacks {
            var isChanged = false
            let replaced = stack.map { part in
                var part = part
                part.operations = part.operations.map { operation in
                    guard case .refer(let reference) = operation,
                        let new = reference.replacing(old, new)
                    else { return operation }
                    isChanged = true
                    return .refer(new)
                }
                return part
            }
            if isChanged { change(id) { $0 = replaced } }
        }
    }

    /// Moves the operations on an entity to another one, except those that set its value, since a
    /// value keeps its identifier.
    private func moveOperations(of old: Value.ID, to new: Value.ID) {
        guard let stack = stacks[old] else { return }
        change(old) { $0 = [] }
        for part in stack {
            let former = entities[part.layer]
            entities[part.layer]?.removeAll { $0 == old }
            core.writer.addUndo { [self] in entities[part.layer] = former }
            for operation in part.operations where !operation.isSet {
                add(operation, by: part.layer, to: new, isHeld: part.isHeld)
            }
        }
        settle(new)
    }
}

// MARK: - The commit

extension TableLayers {
    func recordInJournal(in writer: Writer) {
        guard let journal = table.journal, writer.author != journal.participant else { return }
        for id in confirmedWrites {
            // The entry remains, since it has a confirmed or a visible value, or had one before.
            guard let entry = table.entryID(id: id, hash: table.hash(of: id)) else { continue }
            let wasStored = committedConfirmed(id, entry) != nil
            switch (wasStored, table.writtenConfirmedValue(id: id) != nil) {
            case (true, true): journal.recordStored(entry)
            case (true, false):
                // A value that is pruned after its layers have ended keeps its row.
                if table.removalReasons[entry] == nil { journal.recordRemoved(id) }
            case (false, true): journal.recordInserted(entry)
            case (false, false): break
            }
        }
    }

    var visiblePinned: [CacheKey] {
        guard let pinnedKeys = table.traits.pinnedKeys else { return [] }
        return stacks.keys.flatMap { table.writtenValue(id: $0).map(pinnedKeys) ?? [] }
    }

    /// The confirmed value of an entity before the open transaction.
    private func committedConfirmed(_ id: Value.ID, _ entry: EntryID) -> Value? {
        if let hidden = confirmed.entryID(id: id, hash: confirmed.hash(of: id)),
            let state = confirmed.committedValue(of: hidden, core.writer)
        {
            return state.value
        }
        return table.committedValue(of: entry, core.writer)
    }
}

extension Table {
    /// The value of an entry before the open transaction, which must be at its outermost savepoint.
    fileprivate func committedValue(of entryID: EntryID, _ writer: Writer) -> Value? {
        let entry = self[entryID]
        if entry.pointee.version <= writer.committedVersion { return entry.pointee.value }
        return entry.pointee.prior?.pointee.value
    }
}
