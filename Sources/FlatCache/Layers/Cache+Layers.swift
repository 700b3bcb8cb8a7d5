import Synchronization

extension Cache {
    /// The state of the cache without the edits of open layers.
    ///
    /// ```swift
    /// let saved = cache.confirmed[Book.self, 1]
    /// ```
    public var confirmed: ConfirmedCache<Cache> { ConfirmedCache(base: self) }

    /// Shows edits, sends them, and confirms them if the request succeeds.
    ///
    /// ```swift
    /// try await cache.optimistically("Rename book 1") { layer in
    ///     layer.update(Book.self, id: 1) { $0.title = "Tehanu" }
    /// } confirm: {
    ///     Book(id: 1, title: "Tehanu")  // the response of your server
    /// }
    /// ```
    ///
    /// If the request fails, the cache rolls the edits back, and the method throws the error.
    /// ``CacheType/beginLayer(_:_:)`` begins a layer that survives a failed request.
    ///
    /// ## Concurrency
    /// `edit` runs at once, on the calling thread and under the writers' lock. `send` runs on the
    /// actor of the caller, under no lock. `apply` follows on the same actor, synchronously and
    /// under the writers' lock.
    ///
    /// - Parameters:
    ///   - label: A description of the edits, for ``pendingLayers``.
    ///   - isolation: The actor that the caller is isolated to.
    ///   - edit: A closure that makes the edits, in one commit.
    ///   - send: A closure that sends the edits and decodes the response, like the closure of
    ///     ``ingest(modifiedAt:isolation:_:apply:)``.
    ///   - apply: A closure that makes further writes of the commit that stores the response.
    /// - Returns: The result of `send`.
    /// - Throws: Any error that `send` or `apply` throws, or a ``LayerError``, as described by
    ///   ``OpenLayer/confirm(isolation:_:apply:)``.
    @discardableResult
    public func optimistically<Result>(
        _ label: String,
        isolation: isolated (any Actor)? = #isolation,
        _ edit: (CacheLayer) -> Void,
        confirm send: () async throws -> Result,
        apply: (CacheBatch, Result) throws -> Void = { _, _ in }
    ) async throws -> Result {
        let layer = beginLayer(label, edit)
        do {
            return try await layer.confirm(isolation: isolation, send, apply: apply)
        } catch {
            layer.rollBack()
            throw error
        }
    }
}

extension CacheType {
    /// Begins a layer, and shows its edits until it's confirmed or rolled back.
    ///
    /// ```swift
    /// let draft = cache.beginLayer("Draft") { layer in
    ///     layer.update(Book.self, id: 1) { $0.title = "Tehanu" }
    /// }
    /// ```
    ///
    /// A layer that begins in a batch is rolled back if the batch throws an error.
    ///
    /// ## Concurrency
    /// `edit` runs at once, on the calling thread and under the writers' lock.
    ///
    /// - Parameters:
    ///   - label: A description of the edits, for ``Cache/pendingLayers``.
    ///   - edit: A closure that makes the edits, in one commit.
    /// - Returns: The layer. Keep it: if the object is released, the layer is rolled back.
    public func beginLayer(_ label: String, _ edit: (CacheLayer) -> Void) -> OpenLayer {
        let core = _access.core
        return core.write("beginLayer(_:_:)", asSavepoint: true) { _ in
            let layer = OpenLayer(label, in: core)
            layer.edit(edit)
            return layer
        }
    }
}

extension CacheBatch {
    /// Replaces a temporary identifier with the identifier that the server has assigned.
    ///
    /// ```swift
    /// try await cache.optimistically("Add a book") { layer in
    ///     layer.set(Book(id: -1, title: "Tehanu"))
    ///     layer.list("new", of: Book.self).append(-1)
    /// } confirm: {
    ///     Book(id: 8, title: "Tehanu")  // the response of your server
    /// } apply: { batch, book in
    ///     batch.replaceIdentifier(of: Book.self, from: -1, to: book.id)
    /// }
    /// ```
    ///
    /// The method removes the entity with the temporary identifier. Other layers' updates and
    /// removals of it then apply to the entity with the assigned identifier. A value that another
    /// layer has set is dropped, since a value contains its identifier. Lists, aliases and the
    /// edits of both name the assigned identifier. References in other entities don't change:
    /// write them in the same batch.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - temporary: The temporary identifier.
    ///   - id: The assigned identifier.
    /// - Complexity: O(*n*) in the number of elements of all lists of the type.
    public func replaceIdentifier<Value: Identifiable & Sendable>(
        of type: Value.Type,
        from temporary: Value.ID,
        to id: Value.ID
    ) where Value.ID: Sendable {
        checkUsable()
        if temporary == id { return }
        core.replaceIdentifier(of: type, from: temporary, to: id)
        replacedIdentifiers.append((CacheKey(type, id: temporary), CacheKey(type, id: id)))
    }

    /// The state of the batch without the edits of open layers, with its own writes so far.
    public var confirmed: ConfirmedCache<CacheBatch> { ConfirmedCache(base: self) }
}

extension CacheSnapshot {
    /// The state of the snapshot without the edits of open layers.
    public var confirmed: ConfirmedCache<CacheSnapshot> { ConfirmedCache(base: self) }
}

// Everything here is called under the writers' lock.
extension CacheCore {
    func beginLayer(_ label: String) -> (number: UInt64, ending: LayerEnding) {
        writer.lastLayer += 1
        let number = writer.lastLayer
        let record = LayerRecord(label: label)
        writer.openLayers[number] = record
        writer.addUndo { [self] in
            writer.openLayers[number] = nil
            record.ending.hasEnded.store(true, ordering: .releasing)
        }
        return (number, record.ending)
    }

    /// Runs a closure that edits a layer, and lists the entities that the layer then changes.
    func edit(_ number: UInt64, _ edit: (CacheLayer) -> Void) {
        let layer = CacheLayer(self, number: number)
        defer { layer.end() }
        edit(layer)
        list(number)
    }

    /// Lists the entities that a layer changes among the pending ones.
    private func list(_ number: UInt64) {
        guard let record = writer.openLayers[number] else { return }
        let keys = Set(record.tables.flatMap { $0.keys(of: number) })
        let table = tables.table(of: PendingLayer.self)
        table.isInternal = true
        let pending = PendingLayer(id: Int(number), label: record.label, keys: keys)
        _ = store(pending, merging: false, in: table, writer)
    }

    /// Applies the operations of a layer to the confirmed values; returns the keys of the entities
    /// that the layer has removed last.
    func applyLayer(_ number: UInt64) -> [CacheKey] {
        writer.openLayers[number]?.isApplied = true
        writer.addUndo { [self] in writer.openLayers[number]?.isApplied = false }
        return writer.openLayers[number]?.tables.flatMap { $0.confirm(number) } ?? []
    }

    /// Ends a layer whose operations were applied.
    func endLayer(_ number: UInt64) {
        for table in takeLayer(number)?.tables ?? [] { table.settle(number) }
    }

    /// Returns whether a layer can be edited.
    func isOpen(_ number: UInt64) -> Bool { writer.openLayers[number]?.isApplied == false }

    /// Replaces the operations of a layer by others.
    func replace(_ number: UInt64, _ edit: (CacheLayer) -> Void) {
        for table in writer.openLayers[number]?.tables ?? [] { table.clear(number) }
        self.edit(number, edit)
        for table in writer.openLayers[number]?.tables ?? [] { table.removeCleared(number) }
        list(number)
    }

    func replaceIdentifier<Value: Identifiable & Sendable>(
        of type: Value.Type,
        from old: Value.ID,
        to new: Value.ID
    ) where Value.ID: Sendable {
        var numbers: [UInt64] = []
        // Only layers have a temporary entity of a type that a participant writes alone.
        if tables.table(of: type).owner == nil { _ = remove(type, id: old) }
        replaceStates(ListState<Value>.self) { $0.replacing(old, by: new) }
        replaceStates(AliasState<Value>.self) { alias in
            alias.target == old
                ? AliasState(id: alias.id, target: new, pinsTarget: alias.pinsTarget) : nil
        }
        let (oldKey, newKey) = (CacheKey(type, id: old), CacheKey(type, id: new))
        for table in tables.allTables { table.anyLayers?.replace(oldKey, by: newKey) }
        tables.table(of: PendingLayer.self).forEachWrittenValue { number, layer in
            if layer.keys.contains(oldKey) { numbers.append(UInt64(number)) }
        }
        for number in numbers { list(number) }
    }

    /// Replaces confirmed lists or aliases by those that a closure returns.
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

    func rollBackLayer(_ number: UInt64) {
        guard isOpen(number) else { return }
        for table in takeLayer(number)?.tables ?? [] { table.rollBack(number) }
    }

    private func takeLayer(_ number: UInt64) -> LayerRecord? {
        guard let record = writer.openLayers.removeValue(forKey: number) else { return nil }
        writer.addUndo { [self] in writer.openLayers[number] = record }
        writer.addEnding { record.ending.hasEnded.store(true, ordering: .releasing) }
        let table = tables.table(of: PendingLayer.self)
        if let entry = table.entryID(id: Int(number), hash: table.hash(of: Int(number))) {
            table.remove(entry, for: .explicit, in: writer)
        }
        return record
    }

    /// Rolls layers back whose handles were released without an end, each in a commit.
    func rollBackReleasedLayers(_ numbers: [UInt64]) {
        for number in numbers {
            guard let label = writer.openLayers[number]?.label else { continue }
            writer.beginTransaction("the release of a layer")
            rollBackLayer(number)
            commit()
            let message = """
                The handle of the layer \"\(label)\" was released without an end, so the layer was \
                rolled back. Keep the OpenLayer, and call confirm() or rollBack().
                """
            let report = report(message, of: CacheKey(PendingLayer.self, id: Int(number)))
            writer.mustDeliver(through: deliveryQueue.append([report]))
        }
    }

    /// Ends all layers without applying their operations.
    func endAllLayers() {
        for number in writer.openLayers.keys { _ = takeLayer(number) }
        for table in tables.allTables { table.anyLayers?.removeAll() }
    }
}

/// An open layer.
struct LayerRecord {
    let label: String
    let ending = LayerEnding()
    /// `true` if the operations are part of the confirmed values, and the response is being stored.
    var isApplied = false
    /// The types whose entities the layer changes.
    private(set) var tables: [any AnyTableLayers] = []

    init(label: String) { self.label = label }

    mutating func insert(_ table: any AnyTableLayers) {
        if !tables.contains(where: { $0 === table }) { tables.append(table) }
    }
}

/// Tells the handle of a layer that it needn't roll the layer back.
final class LayerEnding: Sendable {
    let hasEnded = Atomic(false)
}
