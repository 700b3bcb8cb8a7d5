import Synchronization

extension CacheCore {
    /// Leaves something to do under the writers' lock, and does it if nobody has that now.
    func leaveErrand(_ leave: (inout Errands) -> Void) {
        errands.withLock(leave)
        runErrandsIfIdle()
    }

    /// Does what has been left to do, if no thread has the writers' lock.
    ///
    /// The thread that has it does so before releasing it, and looks again after that, so nothing stays
    /// undone.
    func runErrandsIfIdle() {
        // Once more for errands that were left during the first time. A thread that went on would be kept
        // running other threads' errands without end.
        guard tryToRunErrands(), tryToRunErrands() else { return }
        if hasErrands, !isMaintained.exchange(true, ordering: .acquiringAndReleasing) {
            runOnNewThread { [self] in maintain() }
        }
    }

    /// Does what is left until nothing is, on a thread of the cache's own.
    private func maintain() {
        repeat {
            while tryToRunErrands() {}
            isMaintained.store(false, ordering: .sequentiallyConsistent)
        } while hasErrands && !writerLock.isHeld
            && !isMaintained.exchange(true, ordering: .acquiringAndReleasing)
    }

    /// Does what has been left to do, if there is anything and no thread has the writers' lock; returns
    /// whether it has.
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
            // This thread may be anywhere, so it calls no observer, but to end the observations of a
            // cache that no longer exists.
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

    /// Does what has been left to do, as far as it can be done now, under the writers' lock.
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
        // What has been committed is still delivered before these.
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
