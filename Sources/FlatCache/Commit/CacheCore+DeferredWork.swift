import Synchronization

extension CacheCore {
    /// Defers work that needs the writers' lock, and does it at once if the lock is free.
    func deferWork(_ leave: (inout DeferredWork) -> Void) {
        deferredWork.withLock(leave)
        doDeferredWorkIfIdle()
    }

    /// Does the deferred work, if no thread holds the writers' lock.
    ///
    /// A thread that holds the lock does the deferred work before it releases the lock, and checks
    /// for more afterwards, so no work is left undone.
    func doDeferredWorkIfIdle() {
        // The second attempt covers the work that was deferred during the first. With more
        // attempts, this thread could be kept busy with other threads' work without end.
        guard tryToDoDeferredWork(), tryToDoDeferredWork() else { return }
        if hasDeferredWork, !isMaintained.exchange(true, ordering: .acquiringAndReleasing) {
            runOnNewThread { [self] in maintain() }
        }
    }

    /// Does the deferred work until none is left, on a background thread.
    private func maintain() {
        repeat {
            while tryToDoDeferredWork() { writerLock.giveWay() }
            isMaintained.store(false, ordering: .sequentiallyConsistent)
            #if TestHooks
            StateTracking.didChangeAtomically(StateTracking.lockless)
            Perturbation.perturb()
            #endif
        } while hasDeferredWork && !writerLock.isHeld
            && !isMaintained.exchange(true, ordering: .acquiringAndReleasing)
    }

    /// Does the deferred work, if there is any and no thread holds the writers' lock; returns
    /// whether it did.
    private func tryToDoDeferredWork() -> Bool {
        guard hasDeferredWork, !writerLock.isHeldByCurrentThread, writerLock.acquireIfFree() else {
            return false
        }
        if let ticket = doDeferredWorkAndRelease() {
            // This can be any thread, so it must not call observers, except to end the observations
            // of a cache that has been deallocated.
            if isClosed {
                deliveryQueue.deliver(through: ticket)
            } else {
                deliveryQueue.deliverInBackground()
            }
        }
        return true
    }

    /// Does the deferred work and releases the writers' lock; returns the ticket of the
    /// notifications to deliver.
    func doDeferredWorkAndRelease() -> DeliveryTicket? {
        doDeferredWork()
        let released = writer.takeReleased()
        let wakeTime = wakeTime.take()
        let ticket = writer.takeTicket()
        let missingKeys = writer.takeMissingKeys()
        writerLock.release()
        released.release()
        askSources(for: missingKeys)
        schedule(wakeTime)
        return ticket
    }

    private var hasDeferredWork: Bool {
        clock.mustReclaim || clock.hasRegistrations || isDerivationRequested
            || deferredWork.withLock { !$0.isEmpty }
    }

    /// Does the deferred work that is possible now, under the writers' lock.
    func doDeferredWork() {
        addWaitingRegistrations()
        let ended = deferredWork.withLock { deferredWork in
            defer { deferredWork.ended = [] }
            return deferredWork.ended
        }
        if !ended.isEmpty {
            for remove in ended { remove(writer) }
            writer.graph.dropUnreached()
            completeWatchGraph(at: writer.committedVersion)
            if !writer.isInTransaction, let (memory, count) = writer.graph.takeMemoryIfEmpty() {
                writer.releaseLater(memory, isLarge: count > Self.nodesReleasedByTheCaller)
            }
            writerLock.noteDeferredWork()
        }
        guard !writer.isInTransaction else { return }
        if isDerivationRequested {
            writer.beginTransaction("a query")
            commit()
            writerLock.noteDeferredWork()
        }
        let releasedLayers = deferredWork.withLock { deferredWork in
            defer { deferredWork.releasedLayers = [] }
            return deferredWork.releasedLayers
        }
        if !releasedLayers.isEmpty {
            rollBackReleasedLayers(releasedLayers)
            writerLock.noteDeferredWork()
        }
        if clock.mustReclaim {
            clock.hasUnreclaimedTables = false
            for table in tables.allTables where table.hasUnreclaimed { table.reclaim(in: writer) }
            writer.passOnNodeChanges()
            writerLock.noteDeferredWork()
        }
        let mustClose = deferredWork.withLock { deferredWork in
            defer { deferredWork.mustClose = false }
            return deferredWork.mustClose
        }
        if mustClose {
            closeTablesAndGraph()
            writerLock.noteDeferredWork()
        }
    }

    /// The maximum number of nodes whose memory the thread releases that ends the last observation.
    private static var nodesReleasedByTheCaller: Int { 10_000 }

    private func closeTablesAndGraph() {
        // Notifications of earlier commits precede these in the delivery queue.
        var ends = writer.graph.allEntityObservers.map { Notification.end($0) }
        for table in tables.allTables { table.typeObservers.forEach { ends.append(.end($0)) } }
        writer.participants.recorders.forEach { $0.end() }
        // A participant may refer to this core through a handle.
        writer.releaseLater(Released(writer.participants))
        writer.participants = CommitParticipants()
        // The tokens of indexes refer to this core.
        let indexes = indexes.withLock { indexes in
            defer { indexes = CacheIndexes() }
            return indexes
        }
        writer.releaseLater(Released(indexes))
        // The operations of layers may refer to this core, too.
        for record in writer.openLayers.values { writer.releaseLater(record.close()) }
        writer.openLayers = [:]
        if !ends.isEmpty { writer.mustDeliver(through: deliveryQueue.append(ends)) }
        for table in tables.allTables { table.close(in: writer) }
        writer.graph = WatchGraph()
    }
}
