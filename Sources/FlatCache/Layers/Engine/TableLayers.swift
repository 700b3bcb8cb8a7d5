/// The operations of layers on the entities of a type, and the confirmed values beneath them.
///
/// The entry of a covered entity has the visible value: the confirmed one with the operations
/// applied, in the order of their layers. Reads therefore don't know layers. A write uncovers the
/// entity: it puts the confirmed value into the entry, and changes that as any other. The next
/// operation of the batch, or the commit, covers it again.
///
/// Guarded by the writers' lock.
final class TableLayers {
    private unowned let table: any CoveredTable
    unowned let core: CacheCore
    /// The confirmed values of the covered entities of all types.
    let confirmed: Table<ConfirmedState>
    /// `true` if the entities are lists, aliases and the like.
    let areStatesOfCache: Bool
    private let mergesValues: Bool
    /// The entities that are covered, or were before the open transaction.
    @exclusivity(unchecked) private(set) var entities: [CacheKey: CoveredEntity] = [:]
    /// The hashes of these entities.
    let hashes = CoveredHashes()
    /// The entities that the open transaction concerns.
    @exclusivity(unchecked) private var changed: [CoveredEntity] = []
    /// `true` while a value is put into an entry that isn't a write to the confirmed one.
    @exclusivity(unchecked) var isPutting = false

    init<Value: Identifiable & Sendable>(_ table: Table<Value>, _ core: CacheCore)
    where Value.ID: Sendable {
        self.table = table
        self.core = core
        areStatesOfCache = Value.self is any StateOfCache.Type
        mergesValues = table.traits.merge != nil
        confirmed = core.tables.table(of: ConfirmedState.self)
        confirmed.isInternal = true
    }

    /// Returns an entity for operations on it.
    func entity(for key: CacheKey) -> CoveredEntity {
        if let entity = entities[key] { return entity }
        let entity = CoveredEntity(key, hash: table.hash(ofEntity: key), self)
        entities[key] = entity
        hashes.change(entity.hash, by: 1) { entities.values.map(\.hash) }
        // The end of the transaction forgets it, unless layers cover it by then.
        noteChange(of: entity)
        return entity
    }

    private func noteChange(of entity: CoveredEntity) {
        if entity.isChanged { return }
        entity.isChanged = true
        if changed.isEmpty { core.writer.layers.append(self) }
        changed.append(entity)
    }

    /// Changes the state of an entity, until the innermost savepoint is rolled back.
    func change(_ entity: CoveredEntity, _ body: (inout CoveredEntity.State) -> Void) {
        noteChange(of: entity)
        let (former, writer) = (entity.state, core.writer)
        // The operations may hold objects that must not be released under the lock.
        if !former.parts.isEmpty { writer.releaseLater(Released(former)) }
        body(&entity.state)
        writer.addUndo {
            writer.releaseLater(Released(entity.state))
            entity.state = former
        }
    }

    func endTransaction() {
        for entity in changed {
            entity.isChanged = false
            // A value that has expired beneath layers is due now.
            if entity.state.isTouched, !entity.isCovered { table.recordUncovered(entity) }
            entity.state.isTouched = false
            entity.state.isConfirmedWritten = false
            if entity.isCovered { continue }
            entities[entity.key] = nil
            hashes.change(entity.hash, by: -1) { [] }
            core.writer.releaseLater(entity)
        }
        changed.removeAll(keepingCapacity: changed.count < 16)
    }

    // MARK: Covering

    /// Records that the open transaction has written the confirmed value of an entity.
    func recordConfirmedWrite(to entity: CoveredEntity) {
        if isPutting || entity.state.isConfirmedWritten || !entity.isConcerned { return }
        change(entity) { $0.isConfirmedWritten = true }
    }

    func uncover(_ entity: CoveredEntity) {
        if entity.isCovered, !entity.state.isUncovered { table.uncover(entity) }
    }

    /// Uncovers the entities whose confirmed values the open transaction has written.
    func uncoverWritten() {
        for entity in changed where entity.state.isConfirmedWritten { uncover(entity) }
    }

    func uncoverAll() { for entity in entities.values { uncover(entity) } }

    /// Covers all uncovered entities again.
    func cover() {
        for entity in changed where entity.state.isUncovered {
            if entity.isCovered || entity.state.isListed {
                table.cover(entity, by: entity.state.parts)
            }
        }
    }

    /// Lists the covered entities whose confirmed values the open transaction has changed.
    func recordInJournal() {
        guard table.hasJournal else { return }
        for entity in changed where entity.state.isConfirmedWritten {
            table.recordInJournal(entity)
        }
    }

    /// Shows the confirmed value of an entity to readers, or ends that.
    func list(_ entity: CoveredEntity) {
        let state = entity.state
        let hash = confirmed.hash(of: entity.key)
        if state.isListed {
            let isPending = state.parts.contains { !$0.isHeld }
            let new = ConfirmedState(id: entity.key, value: state.confirmed, isPending: isPending)
            _ = core.store(new, merging: false, in: confirmed, core.writer)
        } else if let entry = confirmed.entryID(id: entity.key, hash: hash) {
            confirmed.remove(entry, for: .explicit, in: core.writer)
        }
    }

    /// The keys that the visible values of covered lists or aliases pin.
    var visiblePinned: [CacheKey] {
        entities.values.filter(\.isCovered).flatMap(table.visiblePinned)
    }

    // MARK: Layers

    /// Adds an operation of a layer on an entity.
    func add(
        _ operation: AnyLayerOperation,
        by layer: UInt64,
        to entity: CoveredEntity,
        isHeld: Bool = false
    ) {
        var parts = entity.state.parts
        let index = parts.firstIndex { $0.layer >= layer } ?? parts.endIndex
        let isFirst = index == parts.endIndex || parts[index].layer > layer
        if isFirst { parts.insert(EntityLayer(layer: layer, isHeld: isHeld), at: index) }
        if operation.kind == .remove || operation.kind == .set && !mergesValues {
            parts[index].operations = []
        }
        parts[index].operations.append(operation)
        table.cover(entity, by: parts)
        // A held operation waits for the older layers of the entity.
        guard isFirst, !isHeld, let record = core.writer.openLayers[layer] else { return }
        record.entities.append(entity)
        core.writer.addUndo { record.entities.removeLast() }
    }

    /// Applies the operations of a layer to a confirmed value, before its response is stored;
    /// returns whether the layer has removed the entity last.
    func confirm(_ layer: UInt64, on entity: CoveredEntity) -> Bool {
        guard let index = entity.part(of: layer) else { return false }
        var parts = entity.state.parts
        let part = parts[index]
        if parts[..<index].contains(where: { !$0.isHeld }) {
            parts[index].isHeld = true
        } else {
            parts.remove(at: index)
        }
        table.confirm(part, of: entity, leaving: parts)
        // An update that follows a removal waits for an entity.
        return part.operations.last { $0.kind != .update }?.kind == .remove
    }

    /// Takes the operations of a layer on an entity away, as if it had never begun.
    func rollBack(_ layer: UInt64, on entity: CoveredEntity, keepsPlace: Bool = false) {
        guard let index = entity.part(of: layer) else { return }
        var parts = entity.state.parts
        if keepsPlace { parts[index].operations = [] } else { parts.remove(at: index) }
        table.cover(entity, by: parts)
        settle(entity)
    }

    /// Applies the held operations on an entity that wait for no older open layer.
    func settle(_ entity: CoveredEntity) {
        while let first = entity.state.parts.first, first.isHeld {
            table.confirm(first, of: entity, leaving: Array(entity.state.parts.dropFirst()))
        }
    }

    /// Takes the operations of all layers away, without applying them.
    func removeAll() {
        for entity in entities.values where entity.isCovered { table.cover(entity, by: []) }
    }

    // MARK: Identifiers

    /// Replaces the key of an entity in the operations.
    func replace(_ old: CacheKey, by new: CacheKey) {
        if let entity = entities[old] { moveOperations(on: entity, to: self.entity(for: new)) }
        for entity in entities.values {
            var (parts, isChanged) = (entity.state.parts, false)
            for part in parts.indices {
                for (index, operation) in parts[part].operations.enumerated() {
                    guard let operation = operation.replacing(old, new) else { continue }
                    parts[part].operations[index] = operation
                    isChanged = true
                }
            }
            if isChanged { table.cover(entity, by: parts) }
        }
    }

    /// Moves the operations on an entity to another one, except those that set its value, since a
    /// value keeps its identifier.
    private func moveOperations(on old: CoveredEntity, to new: CoveredEntity) {
        let parts = old.state.parts
        if parts.isEmpty { return }
        table.cover(old, by: [])
        for part in parts {
            if let record = core.writer.openLayers[part.layer] {
                let former = record.entities
                record.entities.removeAll { $0 === old }
                core.writer.addUndo { record.entities = former }
            }
            for operation in part.operations where operation.kind != .set {
                add(operation, by: part.layer, to: new, isHeld: part.isHeld)
            }
        }
        settle(new)
    }
}
