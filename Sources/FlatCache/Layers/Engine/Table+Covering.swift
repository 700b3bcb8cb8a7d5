/// A table whose entities layers cover.
protocol CoveredTable: AnyTable {
    func hash(ofEntity key: CacheKey) -> UInt32

    /// Puts the confirmed value of an entity into its entry.
    func uncover(_ entity: CoveredEntity)

    /// Replaces the operations on an entity, puts the visible value into its entry, and lists the
    /// confirmed one for readers.
    func cover(_ entity: CoveredEntity, by parts: [EntityLayer])

    /// Applies the operations of a layer to the confirmed value of an entity, unless an owner alone
    /// writes it.
    ///
    /// - Parameter parts: The operations that then lie above the confirmed value.
    func confirm(_ layer: EntityLayer, of entity: CoveredEntity, leaving parts: [EntityLayer])

    /// Lists the change of a confirmed value.
    func recordInJournal(_ entity: CoveredEntity)

    /// Returns the keys that the visible value of an entity pins, if it's a list or an alias.
    func visiblePinned(by entity: CoveredEntity) -> Set<CacheKey>

    /// Expires the value of an entity that layers don't cover any more, if it's due.
    func recordUncovered(_ entity: CoveredEntity)
}

extension Table: CoveredTable {
    /// Returns an entity that layers cover, or covered before the open transaction.
    func coveredEntity(_ id: Value.ID) -> CoveredEntity? {
        guard let layers, layers.hashes.mayContain(hash(of: id)) else { return nil }
        return layers.entities[CacheKey(Value.self, id: id)]
    }

    func hash(ofEntity key: CacheKey) -> UInt32 { hash(of: id(of: key)) }

    /// Returns the identifier of an entity of the type.
    @inline(__always)
    private func id(of key: CacheKey) -> Value.ID {
        guard let id: Value.ID = key.identifier.typed() else {
            preconditionFailure("\(key) isn't the key of an entity of \(Value.self).")
        }
        return id
    }

    @inline(__always)
    private func entry(of entity: CoveredEntity) -> EntryID? {
        entryID(id: id(of: entity.key), hash: entity.hash)
    }

    // MARK: Covering

    func uncover(_ entity: CoveredEntity) {
        guard let layers else { return }
        put(entity.state.confirmed?.typed(), in: entity, at: entry(of: entity), isStored: false)
        layers.change(entity) { $0.isUncovered = true }
    }

    func cover(_ entity: CoveredEntity, by parts: [EntityLayer]) {
        guard let layers else { return }
        let (entry, former) = (entry(of: entity), entity.state)
        var value = confirmedValue(of: entity, at: entry)
        // A value that the transaction has stored before layers cover it was confirmed, too.
        let isConfirmed =
            !entity.isConcerned && entry.map { isWritten($0, in: layers.core.writer) } ?? false
        layers.change(entity) { state in
            state.parts = parts
            if former.isUncovered, !parts.isEmpty {
                state.confirmed = value.map { ConfirmedValue($0, in: self) }
            }
            state.isUncovered = parts.isEmpty
            state.isListed = !parts.isEmpty
            state.isTouched = true
            if isConfirmed { state.isConfirmedWritten = true }
        }
        if former.isListed || entity.state.isListed { layers.list(entity) }
        // An entry without a value is written, so that the commit removes it.
        if parts.isEmpty, former.isUncovered, value != nil { return }
        if layers.areStatesOfCache {
            applyAll(parts.flatMap(\.operations), to: &value)
        } else {
            for layer in parts { apply(layer, to: &value) }
        }
        put(value, in: entity, at: entry, isStored: false)
    }

    func confirm(_ layer: EntityLayer, of entity: CoveredEntity, leaving parts: [EntityLayer]) {
        guard let layers else { return }
        if owner != nil { return cover(entity, by: parts) }
        let entry = entry(of: entity)
        var value = confirmedValue(of: entity, at: entry)
        apply(layer, to: &value)
        if value != nil {
            layers.change(entity) { state in
                state.parts = parts
                state.isUncovered = true
                state.isTouched = true
                state.isConfirmedWritten = true
            }
            put(value, in: entity, at: entry, isStored: true)
        } else {
            if layer.operations.contains(where: { $0.kind == .remove }) {
                layers.uncover(entity)
                _ = layers.core.remove(Value.self, id: id(of: entity.key))
            }
            cover(entity, by: parts)
        }
    }

    /// Applies the operations of a layer to a value.
    @inline(__always)
    private func apply(_ layer: EntityLayer, to value: inout Value?) {
        guard let layers else { return }
        if layers.areStatesOfCache { return applyAll(layer.operations, to: &value) }
        for operation in layer.operations {
            let operation = unsafeDowncast(operation, to: LayerOperation<Value>.self)
            value = operation.apply(value, self, layers.core)
        }
    }

    /// Applies operations to a list or an alias.
    private func applyAll(_ operations: [AnyLayerOperation], to value: inout Value?) {
        guard let core = layers?.core, let first = operations.first else { return }
        value = unsafeDowncast(first, to: LayerOperation<Value>.self)
            .applyAll(operations, to: value, in: self, core)
    }

    private func isWritten(_ entry: EntryID, in writer: Writer) -> Bool {
        self[entry].pointee.version > writer.committedVersion
    }

    /// Puts a value into the entry of an entity, or takes it out.
    ///
    /// - Parameter isStored: `true` if the value is fresh, unlike one that layers change.
    private func put(_ value: Value?, in entity: CoveredEntity, at entry: EntryID?, isStored: Bool)
    {
        guard let layers else { return }
        let writer = layers.core.writer
        if isStored, let value, collectsIncoming(writer) {
            recordIncoming(value, isMerged: false, at: entry, in: writer)
        }
        layers.isPutting = true
        defer { layers.isPutting = false }
        if let entry {
            // The commit removes the entry of an entity that isn't covered any more.
            if value == nil, entity.isCovered, !hasValue(entry) { return }
            let remainsStale = !isStored && becomesStale(entry, in: writer)
            write(value, to: entry, in: writer)
            if remainsStale { makeStale(entry, in: writer) }
        } else if let value {
            layers.core.insert(value, hash: entity.hash, in: self, writer)
        }
    }

    /// Returns the confirmed value of an entity, with the writes of the open transaction so far.
    @inline(__always)
    private func confirmedValue(of entity: CoveredEntity, at entry: EntryID?) -> Value? {
        if !entity.state.isUncovered { return entity.state.confirmed?.typed() }
        guard let entry else { return nil }
        return self[entry].pointee.value
    }

    // MARK: Journals

    func recordInJournal(_ entity: CoveredEntity) {
        guard let journal, let core = layers?.core, core.writer.author != journal.participant,
            // The entry remains, since it has a confirmed or a visible value, or had one before.
            let entry = entry(of: entity)
        else { return }
        let id = id(of: entity.key)
        let former = core.confirmedValue(of: Value.self, id: id, at: core.writer.committedVersion)
        switch (former != nil, writtenConfirmedValue(id: id) != nil) {
        case (true, true): journal.recordStored(entry)
        case (true, false):
            // A value that is pruned after its layers have ended keeps its row.
            if removalReasons[entry] == nil { journal.recordRemoved(id) }
        case (false, true): journal.recordInserted(entry)
        case (false, false): break
        }
    }

    // MARK: Limits

    func visiblePinned(by entity: CoveredEntity) -> Set<CacheKey> {
        guard let pinnedKeys = traits.pinnedKeys else { return [] }
        return writtenValue(id: id(of: entity.key)).map(pinnedKeys) ?? []
    }

    func recordUncovered(_ entity: CoveredEntity) {
        if isTimed { recordUnused(id(of: entity.key)) }
    }
}
