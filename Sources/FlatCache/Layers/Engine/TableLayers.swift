/// The confirmed value of an entity that layers cover.
struct ConfirmedState<Value: Identifiable & Sendable>: Identifiable, Sendable
where Value.ID: Sendable {
    let id: Value.ID
    /// The value, or `nil` if only layers have the entity.
    var value: Value?
    /// `true` if an open layer changes the entity.
    var isPending: Bool
}

extension ConfirmedState: Equatable where Value: Equatable {}

extension ConfirmedState: PinsEntities where Value: PinsEntities {
    var pinnedCacheKeys: Set<CacheKey> { value?.pinnedCacheKeys ?? [] }
}

/// The operations of layers on the entities of a type, and the confirmed values beneath them.
///
/// The entry of a covered entity has the visible value: the confirmed one with the operations
/// applied, in the order of their layers. Reads therefore don't know layers. A write uncovers the
/// entity: it puts the confirmed value into the entry, and changes that as any other. The next
/// operation of the batch, or the commit, covers it again.
///
/// Guarded by the writers' lock.
final class TableLayers<Value: Identifiable & Sendable> where Value.ID: Sendable {
    unowned let table: Table<Value>
    unowned let core: CacheCore
    /// The confirmed values of the covered entities.
    let confirmed: Table<ConfirmedState<Value>>
    /// The operations on each covered entity, in the order of the layers.
    private(set) var stacks: [Value.ID: [EntityLayer<Value>]] = [:]
    /// The hashes of the covered entities.
    let hashes = CoveredHashes()
    /// The entities that each layer changes, in the order of its first operations on them.
    var entities: [UInt64: [Value.ID]] = [:]
    /// The covered entities whose entries have their confirmed values at the moment.
    private var uncovered: Set<Value.ID> = []
    /// The entities on which the open transaction has changed the operations.
    private var touched: Set<Value.ID> = []
    /// The entities whose confirmed values the open transaction has written.
    private(set) var confirmedWrites: Set<Value.ID> = []
    /// `true` while a value is put into an entry that isn't a write to the confirmed one.
    private var isPutting = false

    init(_ table: Table<Value>, _ core: CacheCore) {
        self.table = table
        self.core = core
        confirmed = core.tables.table(of: ConfirmedState<Value>.self)
        confirmed.isInternal = true
    }

    func covers(_ id: Value.ID) -> Bool { stacks[id] != nil }

    /// Returns whether layers cover an entity, or did so before the open transaction.
    func concerns(_ id: Value.ID) -> Bool {
        covers(id) || touched.contains(id) || confirmedWrites.contains(id)
    }

    /// Returns whether the open transaction has changed an entity by layers alone.
    ///
    /// Such a change renews no time, and outdates no load that runs.
    func isWrittenByLayersAlone(_ id: Value.ID) -> Bool {
        !confirmedWrites.contains(id) && (covers(id) || touched.contains(id))
    }

    // MARK: Covering

    /// Records that the open transaction has written an entry, whose confirmed value it is unless
    /// layers put it there.
    func recordWrite(to id: Value.ID) {
        guard !isPutting, covers(id) || touched.contains(id), confirmedWrites.insert(id).inserted
        else { return }
        core.writer.addUndo { [self] in confirmedWrites.remove(id) }
    }

    /// Puts the confirmed value of an entity into its entry.
    func uncover(_ id: Value.ID) {
        guard covers(id), !uncovered.contains(id) else { return }
        beginTransaction()
        put(confirmedValue(of: id), in: id)
        uncovered.insert(id)
        core.writer.addUndo { [self] in uncovered.remove(id) }
    }

    /// Uncovers the entities whose confirmed values the open transaction has written.
    func uncoverWritten() { for id in confirmedWrites { uncover(id) } }

    func uncoverAll() { for id in stacks.keys { uncover(id) } }

    /// Covers all uncovered entities again.
    func cover() {
        for id in uncovered {
            uncovered.remove(id)
            core.writer.addUndo { [self] in uncovered.insert(id) }
            cover(id, over: table.writtenValue(id: id), isUncovered: true)
        }
    }

    /// The confirmed value of a covered entity, with the writes of the open transaction so far.
    func confirmedValue(of id: Value.ID) -> Value? {
        uncovered.contains(id)
            ? table.writtenValue(id: id) : confirmed.writtenValue(id: id)?.value
    }

    /// Stores a confirmed value, and puts the visible value into the entry.
    private func cover(_ id: Value.ID, over value: Value?, isUncovered: Bool) {
        let stack = stacks[id] ?? []
        if stack.isEmpty {
            if let entry = confirmed.entryID(id: id, hash: confirmed.hash(of: id)),
                confirmed.hasValue(entry)
            {
                confirmed.remove(entry, for: .explicit, in: core.writer)
            }
            // An entry without a value is written, so that the commit removes it.
            if isUncovered, value != nil { return }
        } else {
            let isPending = stack.contains { !$0.isHeld }
            let state = ConfirmedState(id: id, value: value, isPending: isPending)
            _ = core.store(state, merging: false, in: confirmed, core.writer)
        }
        put(stack.reduce(value) { apply($1.operations, to: $0) }, in: id)
    }

    func apply(_ operations: [LayerOperation<Value>], to value: Value?) -> Value? {
        table.apply(operations, to: value, in: core)
    }

    /// Puts a value into the entry of an entity, or takes it out.
    private func put(_ value: Value?, in id: Value.ID) {
        isPutting = true
        defer { isPutting = false }
        let hash = table.hash(of: id)
        if let entry = table.entryID(id: id, hash: hash) {
            // The commit removes the entry of an entity that isn't covered any more.
            if value == nil, !table.hasValue(entry), covers(id) { return }
            let becomesStale = table.becomesStale(entry, in: core.writer)
            table.write(value, to: entry, in: core.writer)
            // Unlike a stored value, one that layers change isn't fresh again.
            if becomesStale { table.makeStale(entry, in: core.writer) }
        } else if let value {
            core.insert(value, hash: hash, in: table, core.writer)
        }
    }

    // MARK: Layers

    /// Adds an operation of a layer on an entity.
    func add(
        _ operation: LayerOperation<Value>,
        by layer: UInt64,
        to id: Value.ID,
        isHeld: Bool = false
    ) {
        var isFirst = false
        let replacesEarlier =
            operation.isRemoval || operation.isSet && table.traits.merge == nil
        change(id) { stack in
            let index = stack.firstIndex { $0.layer >= layer } ?? stack.endIndex
            isFirst = index == stack.endIndex || stack[index].layer > layer
            if isFirst { stack.insert(EntityLayer(layer: layer, isHeld: isHeld), at: index) }
            if replacesEarlier { stack[index].operations = [] }
            stack[index].operations.append(operation)
        }
        // A held operation waits for the older layers of the entity.
        guard isFirst, !isHeld else { return }
        entities[layer, default: []].append(id)
        core.writer.addUndo { [self] in
            if entities[layer]?.popLast() != nil, entities[layer]?.isEmpty == true {
                entities[layer] = nil
            }
        }
    }

    /// Changes the operations on an entity, and covers it by the new ones.
    func change(_ id: Value.ID, _ body: (inout [EntityLayer<Value>]) -> Void) {
        beginTransaction()
        let former = stacks[id]
        let value = former == nil ? table.writtenValue(id: id) : confirmedValue(of: id)
        var stack = former ?? []
        body(&stack)
        put(stack.isEmpty ? nil : stack, of: id)
        let isNew = touched.insert(id).inserted
        let wasUncovered = uncovered.remove(id) != nil
        core.writer.addUndo { [self] in
            put(former, of: id)
            if isNew { touched.remove(id) }
            if wasUncovered { uncovered.insert(id) }
        }
        // A value that the transaction has stored before layers cover it was confirmed, too.
        if former == nil, isNew, let entry = table.entryID(id: id, hash: table.hash(of: id)),
            table[entry].pointee.version > core.writer.committedVersion
        {
            recordWrite(to: id)
        }
        cover(id, over: value, isUncovered: wasUncovered)
    }

    private func beginTransaction() {
        if core.writer.layers.contains(where: { $0 === self }) { return }
        core.writer.layers.append(self)
    }

    func setStack(_ stack: [EntityLayer<Value>], of id: Value.ID) {
        let former = stacks[id]
        core.writer.addUndo { [self] in put(former, of: id) }
        put(stack.isEmpty ? nil : stack, of: id)
    }

    private func put(_ stack: [EntityLayer<Value>]?, of id: Value.ID) {
        let former = stacks.updateValue(stack ?? [], forKey: id)
        if stack == nil { stacks[id] = nil }
        let wasCovered = former != nil
        // The operations may hold objects that must not be released under the lock.
        if let former { core.writer.releaseLater(Released(former)) }
        if wasCovered == (stack != nil) { return }
        hashes.change(table.hash(of: id), by: wasCovered ? -1 : 1) {
            stacks.keys.map { table.hash(of: $0) }
        }
    }

    func endTransaction() {
        // Values that have expired beneath layers are due now.
        if table.isTimed { for id in touched where !covers(id) { table.recordUnused(id) } }
        touched = []
        confirmedWrites = []
        uncovered = []
    }
}
