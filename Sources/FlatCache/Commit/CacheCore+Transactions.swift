extension CacheCore {
    /// Runs a closure that writes, in a new transaction or as part of this thread's open one.
    ///
    /// - Parameters:
    ///   - operation: The name of the public method, for messages.
    ///   - isSavepoint: If `true`, an error inside an open transaction rolls back the closure's
    ///     writes only, and the transaction continues.
    @inlinable
    func write<Result, Failure: Error>(
        _ operation: StaticString,
        asSavepoint isSavepoint: Bool = false,
        _ body: (Writer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let isOutermost = beginWriting(operation, asSavepoint: isSavepoint)
        do throws(Failure) {
            let result = try body(writer)
            endWriting(isOutermost: isOutermost, asSavepoint: isSavepoint)
            return result
        } catch {
            rollBackWriting(isOutermost: isOutermost, asSavepoint: isSavepoint)
            throw error
        }
    }

    /// Opens a transaction, or joins this thread's open transaction; returns whether it opened one.
    @usableFromInline
    func beginWriting(_ operation: StaticString, asSavepoint isSavepoint: Bool) -> Bool {
        if acquireWriterLockUnlessHeld(operation) {
            writer.beginTransaction(operation)
            return true
        }
        writer.checkNotInUserCode(operation)
        precondition(
            writer.isInTransaction,
            """
            \(operation) was called from an identifier's hash or ==, in the middle of a write to \
            the same cache. These must not use the cache at all.
            """
        )
        if isSavepoint { writer.beginSavepoint() }
        return false
    }

    /// Commits a transaction that `beginWriting` opened, or closes a unit inside one.
    @usableFromInline
    func endWriting(isOutermost: Bool, asSavepoint isSavepoint: Bool) {
        if isOutermost {
            commit()
            releaseWriterLock()
        } else if isSavepoint {
            writer.mergeSavepoint()
        }
    }

    /// Rolls back a transaction that `beginWriting` opened, or a unit inside one.
    @usableFromInline
    func rollBackWriting(isOutermost: Bool, asSavepoint isSavepoint: Bool) {
        if isOutermost {
            rollBack()
            releaseWriterLock()
        } else if isSavepoint {
            writer.rollBackSavepoint()
        }
    }

    /// Schedules another emptying of the core if the cache was deallocated before this thread
    /// acquired the lock, so that none of its writes remain.
    func deferClosingIfClosed() {
        if isClosed { deferredWork.withLock { $0.mustClose = true } }
    }

    private func rollBack() {
        writer.rollBackSavepoint()
        _ = writer.endTransaction(committing: nil)
        writer.reclaimWrittenTables()
    }

    /// Runs a closure that writes no values, under the writers' lock.
    func withWriterLock<Result>(
        _ operation: StaticString,
        _ body: (Writer) -> Result
    ) -> Result {
        guard acquireWriterLockUnlessHeld(operation) else {
            writer.checkNotInUserCode(operation)
            return body(writer)
        }
        let result = body(writer)
        releaseWriterLock()
        return result
    }

    /// Acquires the writers' lock; returns `false` if this thread holds it already.
    @usableFromInline
    func acquireWriterLockUnlessHeld(_ operation: StaticString) -> Bool {
        if writerLock.isHeldByCurrentThread { return false }
        queryThreads.checkNotInQuery(operation)
        writerLock.acquire()
        deferClosingIfClosed()
        return true
    }

    /// Releases the writers' lock when there is nothing to deliver.
    @usableFromInline
    func releaseWriterLockWithoutCommit() {
        let wakeTime = wakeTime.take()
        writerLock.release()
        schedule(wakeTime)
        doDeferredWorkIfIdle()
    }

    /// Does the deferred work, and releases the lock.
    ///
    /// Then releases the prior versions and delivers notifications. Both must happen outside all
    /// locks.
    @usableFromInline
    func releaseWriterLock() {
        let ticket = doDeferredWorkAndRelease()
        // A thread that found the lock taken may have deferred work meanwhile.
        doDeferredWorkIfIdle()
        if let ticket { deliveryQueue.deliver(through: ticket) }
    }
}

extension CacheCore {
    func performBatchUpdates<Result, Failure: Error>(
        _ body: (CacheBatch) throws(Failure) -> Result,
        completion: (@Sendable () -> Void)?,
        as operation: StaticString = "performBatchUpdates(_:)"
    ) throws(Failure) -> Result {
        try write(operation, asSavepoint: true) { writer throws(Failure) in
            let batch = CacheBatch(core: self)
            defer { batch.end() }
            let result = try body(batch)
            if let completion { writer.addCompletion(completion) }
            return result
        }
    }

    func pruneUnobservedValues() -> Int {
        write("pruneUnobservedValues()") { writer in
            doDeferredWork()
            coverLayers()
            // If the transaction has written nothing, the watch graph is up to date.
            let isReached = writer.writtenTables.isEmpty ? nil : isReachedNow()
            let pinned = pinnedByQueriesAndLayers()
            let isKept = { (table: any AnyTable, entry: EntryID) in
                if table.isPinned(entry, byTokensOnly: true) { return true }
                if isReached?(table, entry) ?? (table.node(of: entry) != .none) { return true }
                return !pinned.isEmpty && pinned.contains(table.key(of: entry))
            }
            var removed = 0
            for table in tables.allTables where !table.isInternal {
                removed += table.removeAll(in: writer, for: .pruned) { entry in
                    !isKept(table, entry)
                }
            }
            removeOrphans(unless: isKept)
            return removed
        }
    }

    /// Returns the entities that current results of queries pin, and those that the confirmed and
    /// the visible values of lists and aliases with layers pin.
    private func pinnedByQueriesAndLayers() -> Set<CacheKey> {
        Set(
            tables.allTables.flatMap { table in
                table.isInternal ? table.allPinned() : table.layers?.visiblePinned ?? []
            }
        )
    }

    /// Returns a function that indicates whether an observation reaches an entry.
    ///
    /// Unlike the watch graph, it takes the writes of the open transaction into account.
    private func isReachedNow() -> (any AnyTable, EntryID) -> Bool {
        let observers = writer.graph.allEntityObservers
        let unlimited = observers.filter { $0.following == .allRelationships }
        var reached = reach(from: unlimited.map(\.key), levelLimit: .max, at: writer.writeVersion)
        for observer in observers where observer.following != .allRelationships {
            reached += reach(
                from: [observer.key],
                levelLimit: observer.following.levelLimit,
                at: writer.writeVersion
            )
        }
        var entries: [ObjectIdentifier: Set<EntryID>] = [:]
        for (key, _) in reached {
            let table = tables.table(withTypeIdentifier: key.typeIdentifier)
            if let entry = table?.entry(of: key) {
                entries[key.typeIdentifier, default: []].insert(entry)
            }
        }
        return { entries[$0.typeIdentifier]?.contains($1) ?? false }
    }
}

/// A reference to a batch, for use in a `Sendable` value.
@usableFromInline
struct BatchReference: @unchecked Sendable {
    // Guarded by the batch itself: each use checks that it's on the thread of the batch's closure.

    private let batch: CacheBatch

    @usableFromInline
    init(_ batch: CacheBatch) { self.batch = batch }

    /// Traps if the caller is on another thread than the batch's closure, or the closure has
    /// returned.
    @usableFromInline
    func check() { batch.checkUsable() }

    @usableFromInline
    func checked<Result>(_ body: (CacheBatch) -> Result) -> Result {
        check()
        return body(batch)
    }
}
