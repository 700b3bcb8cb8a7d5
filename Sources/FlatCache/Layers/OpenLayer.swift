import Synchronization

/// A layer, whose edits are shown until it's confirmed or rolled back.
///
/// ```swift
/// let draft = cache.beginLayer("Draft") { layer in
///     layer.update(Book.self, id: 1) { $0.title = "Tehanu" }
/// }
/// print(cache[Book.self, 1]?.title ?? "")            // Tehanu
/// print(cache.confirmed[Book.self, 1]?.title ?? "")  // the title before
/// draft.rollBack()
/// ```
///
/// Keep the object. If it's released while the layer is open, the layer is rolled back, and the
/// cache reports it to ``CacheConfiguration/onDiagnostic``.
///
/// ## Concurrency
/// A layer may be used on any thread. Each call is one commit, or part of the batch in whose
/// closure it's made. The closures of edits run at once, on the calling thread and under the
/// writers' lock.
public final class OpenLayer: Sendable {
    /// The description of the edits.
    public var label: String { record.label }
    let core: CacheCore
    let record: LayerRecord
    var number: UInt64 { record.number }

    init(_ record: LayerRecord, in core: CacheCore) {
        self.record = record
        self.core = core
    }

    deinit {
        if isOpen { core.deferWork { $0.releasedLayers.append(record) } }
    }

    /// A Boolean value that indicates whether the layer is open.
    ///
    /// A layer is open until it's confirmed or rolled back. If a batch does so, the value changes
    /// with the batch's commit.
    public var isOpen: Bool { !record.hasEnded.load(ordering: .acquiring) }

    /// Adds edits to the layer.
    ///
    /// The edits of layers that began later remain above them.
    ///
    /// - Parameter edit: A closure that makes the edits.
    /// - Throws: A ``LayerError`` if the layer has ended or is being confirmed.
    public func change(_ edit: (CacheLayer) -> Void) throws(LayerError) {
        try core.write("change(_:) of a layer", asSavepoint: true) { _ throws(LayerError) in
            try checkOpen()
            core.edit(record, edit)
        }
    }

    /// Replaces the edits of the layer with others.
    ///
    /// For example, a form replaces its edits after each change of a field. The edits of layers
    /// that began later remain above them.
    ///
    /// - Parameter edit: A closure that makes the edits.
    /// - Throws: A ``LayerError`` if the layer has ended or is being confirmed.
    public func replace(_ edit: (CacheLayer) -> Void) throws(LayerError) {
        try replace(whileSending: false, edit)
    }

    /// Replaces the edits of the layer, also while its confirmation runs.
    package func replace(
        whileSending: Bool,
        _ edit: (CacheLayer) -> Void
    ) throws(LayerError) {
        try core.write("replace(_:) of a layer", asSavepoint: true) { _ throws(LayerError) in
            try checkOpen(isSending: whileSending)
            core.replace(record, edit)
        }
    }

    /// Stores the edits in the confirmed values, and ends the layer.
    ///
    /// - Throws: A ``LayerError`` if the layer has ended or is being confirmed.
    public func confirm() throws(LayerError) {
        try core.write("confirm() of a layer", asSavepoint: true) { _ throws(LayerError) in
            try checkOpen()
            _ = core.applyLayer(record)
            core.endLayer(record)
        }
    }

    /// Sends the edits, and then stores them and the response in one commit.
    ///
    /// The commit stores the edits in the confirmed values, and the entities of the response over
    /// them, except for entities that the layer removes. If a closure throws an error, the layer
    /// remains open.
    ///
    /// ## Concurrency
    /// `send` runs on the actor of the caller, under no lock. `apply` follows on the same actor,
    /// synchronously and under the writers' lock.
    ///
    /// - Parameters:
    ///   - isolation: The actor that the caller is isolated to.
    ///   - send: A closure that sends the edits and decodes the response, like the closure of
    ///     ``Cache/ingest(modifiedAt:isolation:_:apply:)``.
    ///   - apply: A closure that makes further writes of the same commit.
    /// - Returns: The result of `send`.
    /// - Throws: Any error that one of the closures throws, or a ``LayerError`` if the layer has
    ///   ended or is being confirmed, or if the response contains an entity of a replicated type.
    @discardableResult
    public func confirm<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ send: () async throws -> Result,
        apply: (CacheBatch, Result) throws -> Void = { _, _ in }
    ) async throws -> Result {
        if !isOpen { throw LayerError.ended(label: label) }
        if record.isSending.exchange(true, ordering: .acquiringAndReleasing) {
            throw LayerError.confirming(label: label)
        }
        defer { record.isSending.store(false, ordering: .releasing) }
        Ingestion.checkEntities(of: Result.self)
        let ingestion = Ingestion(in: core, nil)
        let result = try await ingestion.run(isolation: isolation, send)
        ingestion.collectEntities(in: result)
        try ingestion.store(after: { buffers in
            try self.checkOpen(isSending: true)
            try self.check(buffers)
            return Set(self.core.applyLayer(self.record))
        }) { batch in
            try apply(batch, result)
            self.core.endLayer(self.record)
        }
        return result
    }

    /// Throws if a response contains an entity that only an import stores.
    private func check(_ response: [any AnyEntityBuffer]) throws(LayerError) {
        for entities in response where entities.count > 0 {
            guard let table = core.tables.table(withTypeIdentifier: entities.type),
                table.isWrittenByAnother(in: core)
            else { continue }
            let type = table.contentName ?? ""
            throw LayerError.responseOfReplicatedType(label: label, type: type)
        }
    }

    /// Removes the edits of the layer, and ends it.
    ///
    /// The edits of other layers remain. If the layer is being confirmed, the cache doesn't store
    /// the response, and `confirm` throws ``LayerError/ended(label:)``. If the layer has ended, the
    /// method does nothing.
    public func rollBack() {
        if core.isClosed { return }
        core.write("rollBack() of a layer", asSavepoint: true) { _ in core.rollBackLayer(record) }
    }

    /// Throws if the layer has ended, under the writers' lock.
    private func checkOpen(isSending: Bool = false) throws(LayerError) {
        if core.isClosed || record.state != .open { throw LayerError.ended(label: label) }
        if !isSending, record.isSending.load(ordering: .acquiring) {
            throw LayerError.confirming(label: label)
        }
    }
}

/// An error of a layer that can't be changed or confirmed.
public enum LayerError: Error, Equatable, CustomStringConvertible {
    /// The layer was confirmed or rolled back, ended by ``CacheType/removeAll()``, or its cache was
    /// deallocated.
    case ended(label: String)
    /// The closure of ``OpenLayer/confirm(isolation:_:apply:)`` is running. Until it returns, the
    /// layer can't be edited, or confirmed by another call.
    case confirming(label: String)
    /// The response contains an entity of a replicated type. Only an import stores such entities.
    case responseOfReplicatedType(label: String, type: String)

    /// A description of the error.
    public var description: String {
        switch self {
        case .ended(let label): "The layer \"\(label)\" has ended."
        case .confirming(let label):
            """
            The layer \"\(label)\" is being confirmed. Begin another layer for further edits, or \
            wait until the closure of confirm(_:) returns.
            """
        case .responseOfReplicatedType(let label, let type):
            """
            The response to the layer \"\(label)\" contains \(type), which only an import stores. \
            Write it with `graph.write`, and return something else from the closure.
            """
        }
    }
}
