/// The writes of one commit, passed to the closure of ``CacheType/performBatchUpdates(_:)``.
///
/// ```swift
/// cache.performBatchUpdates { batch in
///     batch.set(book)
///     batch.update(Author.self, id: "le-guin") { $0.name = "U. K. Le Guin" }
///     print(batch[Book.self, 1]?.title ?? "")  // The batch reads its own writes.
/// }
/// ```
///
/// A batch reads and writes like a cache. Its reads show its own writes. Elsewhere, these are
/// invisible until the closure returns. Using a batch after that, or on another thread, is a
/// programmer error and traps.
public final class CacheBatch: CacheType {
    @usableFromInline let core: CacheCore
    private var hasEnded = false
    /// The temporary identifiers that the batch has replaced, in their order.
    package internal(set) var replacedIdentifiers: [(old: CacheKey, new: CacheKey)] = []

    init(core: CacheCore) {
        self.core = core
    }

    func end() { hasEnded = true }

    /// The engine of the cache, after a check that the batch may be used.
    public var _access: _CacheAccess {
        checkUsable()
        return _CacheAccess(core, .written(BatchReference(self)))
    }

    @usableFromInline
    func checkUsable() {
        precondition(
            !hasEnded,
            """
            A batch was used after the closure of performBatchUpdates(_:) had returned. Write \
            to the cache instead, or begin another batch.
            """
        )
        precondition(
            core.writerLock.isHeldByCurrentThread,
            """
            A batch was used on another thread than the one that runs the closure of \
            performBatchUpdates(_:). Collect the results of other threads, and write them in \
            the closure.
            """
        )
        // The batch reads visible values.
        if !core.writer.layers.isEmpty { core.coverLayers() }
    }
}

@available(*, unavailable)
extension CacheBatch: Sendable {}

extension CacheBatch {
    /// Returns the value for a type and an identifier, with the batch's writes so far.
    ///
    /// ```swift
    /// cache.performBatchUpdates { batch in
    ///     batch.set(book)
    ///     print(batch.get(Book.self, id: 1)?.title ?? "")  // A Wizard of Earthsea
    /// }
    /// ```
    ///
    /// See ``Cache/get(_:id:)``.
    public func get<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) -> Value? where Value.ID: Sendable {
        checkUsable()
        return core.tables.existingTable(of: type)?.writtenValue(id: id)
    }

    /// Stores values as ``CacheType/set(contentsOf:)`` does, without returning them.
    @usableFromInline
    func store<Value: Identifiable & Sendable>(contentsOf values: [Value])
    where Value.ID: Sendable {
        checkUsable()
        core.store(contentsOf: values) { _, _ in }
    }
}
