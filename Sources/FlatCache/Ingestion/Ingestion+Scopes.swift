import Synchronization

// The beginning and the end of a scope.
extension Ingestion {
    /// Runs a closure inside the scope, and ends the scope if the closure throws an error.
    func run<Output, Failure: Error>(
        _ body: () throws(Failure) -> Output
    ) throws(Failure) -> Output {
        let result = Self.$innermost.withValue(self) {
            Result { () throws(Failure) in try body() }
        }
        return try output(of: result)
    }

    /// Runs an asynchronous closure inside the scope, and ends the scope if the closure throws an
    /// error.
    func run<Output, Failure: Error>(
        isolation: isolated (any Actor)?,
        _ body: () async throws(Failure) -> Output
    ) async throws(Failure) -> Output {
        let result: Result<Output, Failure> = await Self.$innermost.withValue(
            self,
            operation: {
                do throws(Failure) {
                    return .success(try await body())
                } catch {
                    return .failure(error)
                }
            },
            isolation: isolation
        )
        return try output(of: result)
    }

    private func output<Output, Failure: Error>(
        of result: Result<Output, Failure>
    ) throws(Failure) -> Output {
        if case .failure = result { _ = endScope() }
        return try result.get()
    }

    /// Runs a closure in a new scope that belongs to no other scope, for a load whose answer
    /// several tasks share.
    ///
    /// - Returns: The result, and the scope, whose entities the caller stores.
    @usableFromInline
    static func run<Result: Sendable>(
        in core: CacheCore,
        under lease: Lease,
        _ body: @Sendable (Ingestion) async throws -> Result
    ) async throws -> (result: Result, scope: Ingestion) {
        try await $innermost.withValue(nil) {
            let scope = Ingestion(in: core, nil, under: lease)
            return (try await scope.run(isolation: nil) { try await body(scope) }, scope)
        }
    }

    /// Ends the scope, and stores its entities or hands them over to the scope around it.
    func store() {
        let ending = endScope()
        // An ingest in the closure of another one can't know what that one will store.
        defer { if ending.enclosing == nil { core.report(ending.plainEntity) } }
        if ending.buffers.isEmpty { return }
        // The scope around this one may change buffers that it has received.
        let storedCount = ending.count
        let outer = scope(around: ending)
        // Inside a batch, the entities belong to the batch.
        let isInBatch = core.writerLock.isHeldByCurrentThread
        if isInBatch { outer?.state.withLock { $0.recordEntities(of: ending) } }
        if isInBatch || !(outer?.state.withLock { $0.adopt(ending) } ?? false) {
            store(ending, inLoadOf: isInBatch ? loadScope(around: ending) : nil) { _ in }
        }
        report(storedCount)
    }

    /// Ends the scope, and stores its entities together with other writes.
    ///
    /// - Parameters:
    ///   - prepare: A closure that makes the writes before the entities are stored, and returns the
    ///     keys of those that aren't.
    ///   - write: A closure that makes the writes after.
    func store<Failure: Error>(
        after prepare: (([any AnyEntityBuffer]) throws(Failure) -> Set<CacheKey>)? = nil,
        and write: (CacheBatch) throws(Failure) -> Void
    ) throws(Failure) {
        let ending = endScope()
        try store(ending, inLoadOf: loadScope(around: ending), after: prepare, and: write)
        scope(around: ending)?.state.withLock { $0.recordEntities(of: ending) }
        report(ending.count)
        core.report(ending.plainEntity)
    }

    private func store<Failure: Error>(
        _ ending: EndedScope,
        inLoadOf loadScope: Ingestion?,
        after prepare: (([any AnyEntityBuffer]) throws(Failure) -> Set<CacheKey>)? = nil,
        and write: (CacheBatch) throws(Failure) -> Void
    ) throws(Failure) {
        try core.performBatchUpdates(
            { batch throws(Failure) in
                let lease = loadScope?.lease.flatMap {
                    core.writer.leases.contains($0.number) ? $0 : nil
                }
                // While its scope lasts, a call without a lease is one that all callers have left.
                if let loadScope, lease == nil, !loadScope.hasEnded {
                    _ = try prepare?([])
                    return try write(batch)
                }
                // Inside another batch, the entities count as that batch's writes.
                let writer = core.writer
                if let lease, writer.isAtOutermostSavepoint, writer.hasWrittenNothing {
                    writer.leases.storing = lease.number
                }
                let refused = try prepare?(ending.buffers.map(\.buffer)) ?? []
                for entities in ending.buffers where !refused.isEmpty {
                    entities.buffer.remove(refused)
                }
                ending.store(in: batch, under: lease)
                if let lease { core.removeOwnedByRefused(lease) }
                try write(batch)
            },
            completion: nil,
            as: "ingest(_:)"
        )
    }

    /// Stores the entities of an ended scope in the open transaction, as the answer of a load with
    /// a lease.
    @usableFromInline
    func storeInTransaction(_ ending: EndedScope, under lease: Lease) {
        core.writer.leases.storing = lease.number
        let batch = CacheBatch(core: core)
        defer { batch.end() }
        ending.store(in: batch, under: lease)
        core.removeOwnedByRefused(lease)
        report(ending.count)
    }

    @usableFromInline
    func endScope() -> EndedScope {
        isEnded.store(true, ordering: .relaxed)
        return state.withLock { $0.end(stamp) }
    }

    private func report(_ storedCount: Int) {
        state.withLock { $0.report.storedCount = storedCount }
    }

    /// Returns the scope of the load in whose closure this scope was opened, if there is one.
    private func loadScope(around ending: EndedScope) -> Ingestion? {
        scope(around: ending) { $0.lease != nil }
    }

    /// Returns the innermost scope of the same cache around this one that meets a condition.
    private func scope(
        around ending: EndedScope,
        where isChosen: (Ingestion) -> Bool = { _ in true }
    ) -> Ingestion? {
        var outer = ending.enclosing
        while let scope = outer, scope.core !== core || !isChosen(scope) {
            outer = scope.state.withLock(\.enclosing)
        }
        return outer
    }
}
