import Synchronization

// Everything here is called under the writers' lock.
extension CacheCore {
    func beginLayer(_ label: String) -> LayerRecord {
        writer.lastLayer += 1
        let record = LayerRecord(writer.lastLayer, label)
        writer.openLayers[record.number] = record
        writer.addUndo { [self] in
            writer.openLayers[record.number] = nil
            writer.releaseLater(record.close())
        }
        return record
    }

    /// Runs a closure that edits a layer, and lists the entities that the layer then changes.
    func edit(_ record: LayerRecord, _ edit: (CacheLayer) -> Void) {
        let layer = CacheLayer(self, record)
        defer { layer.end() }
        edit(layer)
        list(record)
    }

    /// Lists the entities that a layer changes among the pending ones.
    private func list(_ record: LayerRecord) {
        if record.state == .ended { return }
        let entities = record.entities.lazy.filter { !$0.layers.areStatesOfCache }
        let table = tables.table(of: PendingLayer.self)
        table.isInternal = true
        let keys = Set(entities.map(\.key))
        let pending = PendingLayer(id: Int(record.number), label: record.label, keys: keys)
        _ = store(pending, merging: false, in: table, writer)
    }

    /// Applies the operations of a layer to the confirmed values; returns the keys of the entities
    /// that the layer has removed last.
    func applyLayer(_ record: LayerRecord) -> [CacheKey] {
        change(record, to: .applied, record.entities)
        return record.entities.filter { $0.layers.confirm(record.number, on: $0) }.map(\.key)
    }

    /// Ends a layer whose operations were applied.
    func endLayer(_ record: LayerRecord) {
        for entity in takeLayer(record) { entity.layers.settle(entity) }
    }

    /// Replaces the operations of a layer by others.
    func replace(_ record: LayerRecord, _ edit: (CacheLayer) -> Void) {
        for entity in record.entities {
            entity.layers.rollBack(record.number, on: entity, keepsPlace: true)
        }
        self.edit(record, edit)
        // Without other operations, the layer gives up its place on an entity.
        let isCleared = { (entity: CoveredEntity) in
            entity.part(of: record.number).map { entity.state.parts[$0].operations.isEmpty } ?? true
        }
        let cleared = record.entities.filter(isCleared)
        if cleared.isEmpty { return }
        change(record, to: record.state, record.entities.filter { !isCleared($0) })
        for entity in cleared { entity.layers.rollBack(record.number, on: entity) }
        list(record)
    }

    func replaceIdentifier<Value: Identifiable & Sendable>(
        of type: Value.Type,
        from old: Value.ID,
        to new: Value.ID
    ) where Value.ID: Sendable {
        // Only layers have a temporary entity of a type that a participant writes alone.
        if tables.table(of: type).owner == nil { _ = remove(type, id: old) }
        replaceStates(ListState<Value>.self) { $0.replacing(old, by: new) }
        replaceStates(AliasState<Value>.self) { alias in
            alias.target == old
                ? AliasState(id: alias.id, target: new, pinsTarget: alias.pinsTarget) : nil
        }
        let (oldKey, newKey) = (CacheKey(type, id: old), CacheKey(type, id: new))
        let records = writer.openLayers.values.filter { record in
            record.entities.contains { $0.key == oldKey }
        }
        for table in tables.allTables { table.layers?.replace(oldKey, by: newKey) }
        for record in records { list(record) }
    }

    /// Replaces confirmed lists or aliases by the results of a closure.
    private func replaceStates<State: Identifiable & Sendable>(
        _ type: State.Type,
        _ replacing: (State) -> State?
    ) where State.ID: Sendable {
        guard let table = tables.existingTable(of: type) else { return }
        table.layers?.uncoverAll()
        var replaced: [State] = []
        table.forEachWrittenValue { _, state in
            if let new = replacing(state) { replaced.append(new) }
        }
        for state in replaced { _ = store(state, merging: false, in: table, writer) }
    }

    func rollBackLayer(_ record: LayerRecord) {
        guard record.state == .open else { return }
        for entity in takeLayer(record) { entity.layers.rollBack(record.number, on: entity) }
    }

    /// Ends a layer; returns the entities that it changes.
    private func takeLayer(_ record: LayerRecord) -> [CoveredEntity] {
        if record.state == .ended { return [] }
        writer.openLayers[record.number] = nil
        writer.addUndo { [self] in writer.openLayers[record.number] = record }
        writer.addEnding { record.hasEnded.store(true, ordering: .releasing) }
        let entities = record.entities
        change(record, to: .ended, [])
        let table = tables.table(of: PendingLayer.self)
        let id = Int(record.number)
        if let entry = table.entryID(id: id, hash: table.hash(of: id)) {
            table.remove(entry, for: .explicit, in: writer)
        }
        return entities
    }

    /// Changes a record, until the innermost savepoint is rolled back.
    private func change(
        _ record: LayerRecord,
        to state: LayerRecord.State,
        _ entities: [CoveredEntity]
    ) {
        let former = (record.state, record.entities)
        (record.state, record.entities) = (state, entities)
        writer.addUndo { (record.state, record.entities) = former }
    }

    /// Rolls layers back whose handles were released without an end, each in a commit.
    func rollBackReleasedLayers(_ records: [LayerRecord]) {
        for record in records where record.state == .open {
            writer.beginTransaction("the release of a layer")
            rollBackLayer(record)
            commit()
            let message = """
                The handle of the layer \"\(record.label)\" was released without an end, so the \
                layer was rolled back. Keep the OpenLayer, and call confirm() or rollBack().
                """
            let report = report(message, of: CacheKey(PendingLayer.self, id: Int(record.number)))
            writer.mustDeliver(through: deliveryQueue.append([report]))
        }
    }

    /// Ends all layers without applying their operations.
    func endAllLayers() {
        for record in writer.openLayers.values { _ = takeLayer(record) }
        for table in tables.allTables { table.layers?.removeAll() }
    }
}

/// A layer, as its handle and the cache know it.
final class LayerRecord: @unchecked Sendable {
    // The writers' lock guards the variables.

    /// The operations of an applied layer are part of the confirmed values, and the response is
    /// being stored.
    enum State { case open, applied, ended }

    /// The number of the layer: layers that began later have greater numbers.
    let number: UInt64
    let label: String
    @exclusivity(unchecked) var state = State.open
    /// The entities that the layer changes, in the order of its first operations on them.
    @exclusivity(unchecked) var entities: [CoveredEntity] = []
    /// `true` if the handle needn't roll the layer back.
    let hasEnded = Atomic(false)
    /// `true` while the closure of a confirmation runs.
    let isSending = Atomic(false)

    init(_ number: UInt64, _ label: String) {
        self.number = number
        self.label = label
    }

    /// Ends the layer at once; returns its entities, whose operations must be released after the
    /// locks.
    func close() -> AnyObject {
        defer { entities = [] }
        state = .ended
        hasEnded.store(true, ordering: .releasing)
        return Released(entities)
    }
}
