import Synchronization

/// Edits that are shown and not confirmed yet.
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
/// A layer that is released without an end rolls back, and the cache reports it.
///
/// ## Concurrency
/// A layer may be used on any thread. Each call is one commit, or part of the batch in whose
/// closure it's made.
public final class OpenLayer: Sendable {
    /// The name of the edits, as ``Cache/pendingLayers`` shows it.
    public let label: String
    let core: CacheCore
    let number: UInt64
    private let ending: LayerEnding

    /// Begins a layer, under the writers' lock.
    init(_ label: String, in core: CacheCore) {
        self.label = label
        self.core = core
        (number, ending) = core.beginLayer(label)
    }

    /// Makes the first edits, under the writers' lock.
    func edit(_ edit: (CacheLayer) -> Void) { core.edit(number, edit) }

    deinit {
        if ending.hasEnded.load(ordering: .acquiring) { return }
        core.deferWork { $0.releasedLayers.append(number) }
    }

    /// `true` until the layer is confirmed or rolled back, or until the batch that does so ends.
    public var isOpen: Bool { !ending.hasEnded.load(ordering: .acquiring) }

    /// Adds edits to the layer, at its place among the others.
    ///
    /// - Parameter edit: A closure that makes the edits.
    /// - Throws: ``LayerError`` if the layer has ended.
    public func change(_ edit: (CacheLayer) -> Void) throws(LayerError) {
        try core.write("change(_:) of a layer", asSavepoint: true) { _ throws(LayerError) in
            try checkOpen()
            core.edit(number, edit)
        }
    }

    /// Replaces the edits of the layer by others, at its place among the layers.
    ///
    /// A form can so show its whole state after each change of a field.
    ///
    /// - Parameter edit: A closure that makes the edits.
    /// - Throws: ``LayerError`` if the layer has ended.
    public func replace(_ edit: (CacheLayer) -> Void) throws(LayerError) {
        try core.write("replace(_:) of a layer", asSavepoint: true) { _ throws(LayerError) in
            try checkOpen()
            core.replace(number, edit)
        }
    }

    /// Makes the edits part of the confirmed values.
    ///
    /// - Throws: ``LayerError`` if the layer has ended.
    public func confirm() throws(LayerError) {
        try core.write("confirm() of a layer", asSavepoint: true) { _ throws(LayerError) in
            try checkOpen()
            _ = core.applyLayer(number)
            core.endLayer(number)
        }
    }

    /// Makes the edits part of the confirmed values, and stores a response over them, in one
    /// commit.
    ///
    /// An entity that the layer has removed last isn't stored.
    ///
    /// - Parameters:
    ///   - isolation: The actor that the caller is isolated to.
    ///   - load: A closure that sends the edits, and decodes the response, as in
    ///     ``Cache/ingest(modifiedAt:isolation:_:apply:)``.
    ///   - apply: A closure that makes further writes of the same commit.
    /// - Returns: The result of `load`.
    /// - Throws: Any error of the closures, after which the layer is still open, and
    ///   ``LayerError`` if the layer has ended meanwhile.
    @discardableResult
    public func confirm<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ load: () async throws -> Result,
        apply: (CacheBatch, Result) throws -> Void = { _, _ in }
    ) async throws -> Result {
        Ingestion.checkEntities(of: Result.self)
        let ingestion = Ingestion(in: core, nil)
        let result = try await ingestion.run(isolation: isolation, load)
        ingestion.collectEntities(in: result)
        try ingestion.store(after: { buffers in
            try self.checkOpen()
            try self.check(buffers)
            return Set(self.core.applyLayer(self.number))
        }) { batch in
            try apply(batch, result)
            self.core.endLayer(self.number)
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

    /// Takes the edits away, whatever other layers there are.
    ///
    /// It does nothing if the layer has ended.
    public func rollBack() {
        if core.isClosed { return }
        core.write("rollBack() of a layer", asSavepoint: true) { _ in core.rollBackLayer(number) }
    }

    /// Throws if the layer has ended, under the writers' lock.
    private func checkOpen() throws(LayerError) {
        if core.isClosed || !core.isOpen(number) {
            throw LayerError.ended(label: label)
        }
    }
}

/// The error of a layer that can't be changed or confirmed.
public enum LayerError: Error, Equatable, CustomStringConvertible {
    /// The layer with a name has ended already, because it was confirmed or rolled back, all
    /// entities were removed, or the cache was deallocated.
    case ended(label: String)
    /// The response to the layer with a name contains an entity of a replicated type, which only an
    /// import stores.
    case responseOfReplicatedType(label: String, type: String)

    /// A description with the name.
    public var description: String {
        switch self {
        case .ended(let label): "The layer \"\(label)\" has ended."
        case .responseOfReplicatedType(let label, let type):
            """
            The response to the layer \"\(label)\" contains \(type), which only an import stores. \
            Write it with `graph.write`, and return something else from the closure.
            """
        }
    }
}
