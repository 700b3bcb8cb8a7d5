/// The layers of any type.
protocol AnyTableLayers: AnyObject {
    // MARK: Covering

    func uncoverWritten()
    func cover()

    /// Lists the covered entities whose confirmed values the open transaction has changed.
    func recordInJournal(in writer: Writer)

    /// Forgets the open transaction.
    func endTransaction()

    // MARK: Layers

    /// Returns the keys of the entities that a layer changes, without lists and aliases.
    func keys(of layer: UInt64) -> [CacheKey]

    /// Applies the operations of a layer to the confirmed values, before its response is stored.
    ///
    /// - Returns: The keys of the entities that the layer has removed last.
    func confirm(_ layer: UInt64) -> [CacheKey]

    /// Takes the operations of a layer away, as if it had made none.
    func rollBack(_ layer: UInt64)

    /// Applies the held operations that have waited for a layer, after the layer has ended.
    func settle(_ layer: UInt64)

    /// Takes the operations of all layers away, without applying them.
    func removeAll()

    /// Replaces the identifier of an entity in the operations, and in the confirmed lists and
    /// aliases that the layers change or that the open transaction has changed beneath them.
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
            if table.owner != nil {
                // The owner alone writes the confirmed value, and has done so already.
                change(id) { $0.remove(at: index) }
                continue
            }
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
        for id in entities[layer] ?? [] {
            change(id) { stack in stack.removeAll { $0.layer == layer } }
        }
        settle(layer)
    }

    func settle(_ layer: UInt64) {
        for id in entities[layer] ?? [] {
            while var stack = stacks[id], let first = stack.first, first.isHeld {
                stack.removeFirst()
                applyBeneath(first.operations, to: id)
                setStack(stack, of: id)
            }
        }
        let former = entities.removeValue(forKey: layer)
        core.writer.addUndo { [self] in entities[layer] = former }
    }

    func removeAll() {
        for id in Array(stacks.keys) { change(id) { $0 = [] } }
        let former = entities
        core.writer.addUndo { [self] in entities = former }
        entities = [:]
    }

    /// Applies operations to the confirmed value of an entity.
    private func applyBeneath(_ operations: [LayerOperation<Value>], to id: Value.ID) {
        recordWrite(to: id)
        uncover(id)
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
        guard let type = Value.self as? any NamesEntities.Type, type.names(old) else { return }
        for id in confirmedWrites.union(stacks.keys) {
            let value = covers(id) ? confirmedValue(of: id) : table.writtenValue(id: id)
            if let named = value as? any NamesEntities,
                let changed = named.replacing(old, by: new) as? Value
            {
                _ = core.store(changed, merging: false, in: table, core.writer)
            }
            guard covers(id) else { continue }
            change(id) { stack in
                for index in stack.indices {
                    stack[index].operations = stack[index].operations.map {
                        guard case .refer(let reference) = $0 else { return $0 }
                        return .refer(reference.replacing(old, new))
                    }
                }
            }
        }
    }

    /// Makes the operations on an entity those on another one, except those that set its value,
    /// since a value keeps its identifier.
    private func moveOperations(of old: Value.ID, to new: Value.ID) {
        guard let stack = stacks[old] else { return }
        change(old) { $0 = [] }
        for part in stack {
            for operation in part.operations where !operation.isSet {
                add(operation, by: part.layer, to: new, isHeld: part.isHeld)
            }
        }
    }
}

// MARK: - The commit

extension TableLayers {
    func recordInJournal(in writer: Writer) {
        guard let journal = table.journal, writer.author != journal.participant else { return }
        for id in confirmedWrites {
            // The entry remains, since it has a confirmed or a visible value, or had one before.
            guard let entry = table.entryID(id: id, hash: table.hash(of: id)) else { continue }
            if writtenConfirmed(id) == nil {
                journal.recordRemoved(id)
            } else if committedConfirmed(id, entry) == nil {
                journal.recordInserted(entry)
            } else {
                journal.recordStored(entry)
            }
        }
    }

    private func writtenConfirmed(_ id: Value.ID) -> Value? {
        covers(id) ? confirmedValue(of: id) : table.writtenValue(id: id)
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
