extension CacheCore {
    /// Runs a closure that writes, as a transaction of its own or as part of this thread's open
    /// transaction.
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
        if writerLock.isHeldByCurrentThread {
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
        writerLock.acquire()
        deferClosingIfClosed()
        writer.beginSavepoint()
        return true
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

    private func commit() {
        recordWritten()
        guard discardUnchanged() > 0 else { return endWithoutCommit() }
        let version = writer.writeVersion
        addWaitingRegistrations()
        if !writer.graph.isEmpty { refreshWatchGraph(at: version) }
        // The values in use, which must stay, are known only after the watch graph is up to date.
        if evictExcess(), discardUnchanged() == 0 { return endWithoutCommit() }
        var calls = calls(for: version)
        let refreshes = refreshNotifications()
        for table in writer.writtenTables { table.prepareToPublish(version) }
        clock.publish(version)
        let completions = writer.endTransaction(committing: version)
        calls += lateCalls(for: version)
        enqueue(calls, refreshes, completions)
        writer.reclaimWrittenTables()
    }

    /// Discards the writes that left their entries unchanged; returns the number of changed or
    /// expiring entries.
    private func discardUnchanged() -> Int {
        var changedCount = 0
        for table in writer.writtenTables {
            changedCount += table.discardUnchanged(in: writer) + table.expiringCount
        }
        return changedCount
    }

    private func endWithoutCommit() {
        let completions = writer.endTransaction(committing: nil)
        enqueue([], [], completions)
        writer.reclaimWrittenTables()
    }

    /// Appends a commit's notifications to the delivery queue: the observers' in the order of their
    /// registration, then the refreshes, then the completions of batches.
    private func enqueue(
        _ calls: [ObserverCall],
        _ refreshes: [Notification],
        _ completions: [@Sendable () -> Void]
    ) {
        var notifications: [Notification] = []
        notifications.reserveCapacity(calls.count + refreshes.count + completions.count)
        for call in calls.inOrder { notifications.append(.event(call.event, call.observer)) }
        notifications.append(contentsOf: refreshes)
        for completion in completions { notifications.append(.action(completion)) }
        if notifications.isEmpty { return }
        writer.mustDeliver(through: deliveryQueue.append(notifications))
    }

    /// Ends a commit that has exchanged a value in place, under the writers' lock.
    ///
    /// - Returns: A Boolean value that indicates whether there is nothing to deliver or release.
    @inlinable @inline(__always)
    func endExchange<Value: Identifiable & Sendable>(
        of entry: Region<Value>.Pointer,
        in table: Table<Value>
    ) -> Bool where Value.ID: Sendable {
        writer.countCommit()
        return !clock.hasOpenSnapshots || !notifyLate(ofExchanged: entry, in: table)
    }

    /// Notifies observers that registered during an exchange in place; returns whether there were
    /// any.
    @usableFromInline
    func notifyLate<Value: Identifiable & Sendable>(
        ofExchanged entry: Region<Value>.Pointer,
        in table: Table<Value>
    ) -> Bool where Value.ID: Sendable {
        let late = addWaitingRegistrations()
        if late.isEmpty { return false }
        // The calls are computed from the written tables and their pending entries, as after a
        // transaction.
        table.pending = [EntryID(slot: UInt32(truncatingIfNeeded: entry - table.block.entries))]
        writer.recordWrite(to: table)
        let calls = calls(for: writer.committedVersion).filter { late.contains($0.number) }
        enqueue(calls, [], [])
        writer.reclaimWrittenTables()
        return true
    }

    /// Runs a closure that writes no values, under the writers' lock.
    func withWriterLock<Result>(
        _ operation: StaticString,
        _ body: (Writer) -> Result
    ) -> Result {
        if writerLock.isHeldByCurrentThread {
            writer.checkNotInUserCode(operation)
            return body(writer)
        }
        writerLock.acquire()
        let result = body(writer)
        releaseWriterLock()
        return result
    }

    /// Does the deferred work, and releases the lock.
    ///
    /// Then releases the prior versions and delivers notifications, which must happen outside
    /// all locks.
    @usableFromInline
    func releaseWriterLock() {
        doDeferredWork()
        let released = writer.takeReleased()
        let wakeTime = wakeTime.take()
        let ticket = writer.takeTicket()
        writerLock.release()
        withExtendedLifetime(released) {}
        schedule(wakeTime)
        // A thread that found the lock taken may have deferred work meanwhile.
        doDeferredWorkIfIdle()
        if let ticket { deliveryQueue.deliver(through: ticket) }
    }
}
