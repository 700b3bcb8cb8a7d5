import Synchronization

extension CacheCore {
    /// Defers work that needs the writers' lock, and does it at once if the lock is free.
    func leaveErrand(_ leave: (inout Errands) -> Void) {
        errands.withLock(leave)
        runErrandsIfIdle()
    }

    /// Does the deferred work, if no thread holds the writers' lock.
    ///
    /// A thread that holds the lock does the deferred work before it releases the lock, and checks
    /// for more afterwards, so no work is left undone.
    func runErrandsIfIdle() {
        // The second attempt covers the work that was deferred during the first. With more
        // attempts, this thread could be kept busy with other threads' work without end.
        guard tryToRunErrands(), tryToRunErrands() else { return }
        if hasErrands, !isMaintained.exchange(true, ordering: .acquiringAndReleasing) {
            runOnNewThread { [self] in maintain() }
        }
    }

    /// Does the deferred work until none is left, on a background thread.
    private func maintain() {
        repeat {
            while tryToRunErrands() {}
            isMaintained.store(false, ordering: .sequentiallyConsistent)
        } while hasErrands && !writerLock.isHeld
            && !isMaintained.exchange(true, ordering: .acquiringAndReleasing)
    }

    /// Does the deferred work, if there is any and no thread holds the writers' lock; returns
    /// whether it did.
    private func tryToRunErrands() -> Bool {
        guard hasErrands, !writerLock.isHeldByCurrentThread, writerLock.acquireIfFree() else {
            return false
        }
        runErrands()
        let released = writer.takeReleased()
        let wakeTime = wakeTime.take()
        let ticket = writer.takeTicket()
        writerLock.release()
        schedule(wakeTime)
        withExtendedLifetime(released) {}
        if let ticket {
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

    private var hasErrands: Bool {
        clock.mustSettle || clock.hasRegistrations || errands.withLock { !$0.isEmpty }
    }

    /// Does the deferred work that is possible now, under the writers' lock.
    func runErrands() {
        addWaitingRegistrations()
        let ended = errands.withLock { errands in
            defer { errands.ended = [] }
            return errands.ended
        }
        if !ended.isEmpty {
            for remove in ended { remove(writer) }
            writer.graph.dropUnreached()
            if !writer.isInTransaction { writer.graph.reclaimIfEmpty() }
        }
        guard !writer.isInTransaction else { return }
        if clock.mustSettle {
            clock.hasLeftovers = false
            for table in tables.allTables where table.hasUnsettled { table.settle(in: writer) }
        }
        let mustClose = errands.withLock { errands in
            defer { errands.mustClose = false }
            return errands.mustClose
        }
        if mustClose { closeTablesAndGraph() }
    }

    private func closeTablesAndGraph() {
        // Notifications of earlier commits precede these in the delivery queue.
        var ends = writer.graph.allEntityObservers.map { Notification.end($0) }
        for table in tables.allTables {
            table.typeObservers.forEach { ends.append(.end($0)) }
            table.typeObservers = RegistrationList()
        }
        writer.refreshObservers.forEach { ends.append(.end($0)) }
        writer.refreshObservers = RegistrationList()
        if !ends.isEmpty { writer.mustDeliver(through: deliveryQueue.append(ends)) }
        for table in tables.allTables { table.close(in: writer) }
        writer.graph = WatchGraph()
    }
}
