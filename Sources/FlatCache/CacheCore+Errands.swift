extension CacheCore {
    /// Leaves something to do under the writers' lock, and does it if nobody has that now.
    func leaveErrand(_ leave: (inout Errands) -> Void) {
        errands.withLock(leave)
        runErrandsIfIdle()
    }

    /// Does what has been left to do, if nobody has the writers' lock.
    ///
    /// Whoever has it does so before releasing it, and looks again after that, so nothing stays
    /// undone.
    func runErrandsIfIdle() {
        while hasErrands, !writerLock.isHeldByCurrentThread, writerLock.acquireIfFree() {
            runErrands()
            let released = writer.takeReleased()
            let wakeTime = wakeTime.take()
            writerLock.release()
            schedule(wakeTime)
            withExtendedLifetime(released) {}
            // Only a cache that has gone leaves something to deliver here; other calls are left to
            // the threads that have caused them, since this one may be anywhere.
            if isClosed { deliver() }
        }
    }

    private var hasErrands: Bool {
        clock.mustSettle || errands.withLock { !$0.isEmpty }
    }

    /// Does what has been left to do, as far as it can be done now, under the writers' lock.
    func runErrands() {
        let ended = errands.withLock { errands in
            defer { errands.ended = [] }
            return errands.ended
        }
        if !ended.isEmpty {
            for recipient in ended {
                recipient.leave(writer)
                // With it may go what its delivery holds, and so run code of a user's.
                writer.releaseLater(recipient)
            }
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
        var ends = writer.graph.allSubscriptions.map(Outbox.Item.end)
        for table in tables.allTables {
            table.typeObservers.forEach { ends.append(.end($0)) }
            table.typeObservers = RegistrationList()
        }
        writer.refreshObservers.forEach { ends.append(.end($0)) }
        writer.refreshObservers = RegistrationList()
        line.append(ends)
        for table in tables.allTables { table.close(in: writer) }
        writer.graph = WatchGraph()
    }
}
