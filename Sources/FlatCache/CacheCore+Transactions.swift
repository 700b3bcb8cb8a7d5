extension CacheCore {
    /// Runs a closure that writes: as a transaction of its own, or as part of the one that this
    /// thread has open.
    ///
    /// - Parameters:
    ///   - operation: What the user has called, for messages.
    ///   - isUnit: Whether a failure inside an open transaction takes back what the closure has
    ///     written; the transaction itself goes on.
    @inlinable
    func write<Result, Failure: Error>(
        _ operation: StaticString,
        asUnit isUnit: Bool = false,
        _ body: (Writer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let isOutermost = beginWriting(operation, asUnit: isUnit)
        do throws(Failure) {
            let result = try body(writer)
            endWriting(isOutermost: isOutermost, asUnit: isUnit)
            return result
        } catch {
            takeBackWriting(isOutermost: isOutermost, asUnit: isUnit)
            throw error
        }
    }

    /// Opens a transaction, or joins the one that this thread has open; returns whether it has
    /// opened one.
    @usableFromInline
    func beginWriting(_ operation: StaticString, asUnit isUnit: Bool) -> Bool {
        if writerLock.isHeldByCurrentThread {
            writer.checkNotInUserCode(operation)
            precondition(
                writer.isInTransaction,
                """
                \(operation) was called from an identifier's hash or ==, in the middle of a write to \
                the same cache. These must not use the cache at all.
                """
            )
            if isUnit { writer.beginLevel() }
            return false
        }
        writerLock.acquire()
        noteIfClosed()
        writer.beginLevel()
        return true
    }

    /// Commits a transaction that has been opened, or closes a unit inside one.
    @usableFromInline
    func endWriting(isOutermost: Bool, asUnit isUnit: Bool) {
        if isOutermost {
            commit()
            releaseWriterLock()
        } else if isUnit {
            writer.mergeLevel()
        }
    }

    /// Takes back a transaction that has been opened, or a unit inside one.
    @usableFromInline
    func takeBackWriting(isOutermost: Bool, asUnit isUnit: Bool) {
        if isOutermost {
            rollBack()
            releaseWriterLock()
        } else if isUnit {
            writer.rollBackLevel()
        }
    }

    /// Has the core emptied once more if its cache has gone before this thread got the lock, so
    /// that nothing stays of what it writes.
    func noteIfClosed() {
        if isClosed { errands.withLock { $0.mustClose = true } }
    }

    private func rollBack() {
        writer.rollBackLevel()
        _ = writer.endTransaction(committing: nil)
        writer.settleWrittenTables()
    }

    private func commit() {
        noteWritten()
        guard discardUnchanged() > 0 else { return endWithoutCommit() }
        let version = writer.level
        addWaitingRegistrations()
        if !writer.graph.isEmpty { refreshWatchGraph(at: version) }
        // Only now is it known what is watched, and so must stay.
        if evictExcess(), discardUnchanged() == 0 { return endWithoutCommit() }
        var calls = calls(for: version)
        let refreshes = refreshNotifications()
        for table in writer.writtenTables { table.prepareToPublish(version) }
        clock.publish(version)
        let completions = writer.endTransaction(committing: version)
        calls += lateCalls(for: version)
        enqueue(calls, refreshes, completions)
        writer.settleWrittenTables()
    }

    /// Takes back what is as it was before; returns how many entries are not.
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
        writer.settleWrittenTables()
    }

    /// Puts a commit's notifications into the delivery queue: the observers' in the order of their
    /// registration, then the completions of batches.
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
    /// - Returns: Whether nothing has to be delivered or released.
    @inlinable @inline(__always)
    func endExchange<Value: Identifiable & Sendable>(
        of entry: Region<Value>.Pointer,
        in table: Table<Value>
    ) -> Bool where Value.ID: Sendable {
        writer.noteCommit()
        return !clock.hasOpenSnapshots || !notifyLate(ofExchanged: entry, in: table)
    }

    /// Notifies observers whose registration came in the middle of an exchange in place; returns whether
    /// there were any.
    @usableFromInline
    func notifyLate<Value: Identifiable & Sendable>(
        ofExchanged entry: Region<Value>.Pointer,
        in table: Table<Value>
    ) -> Bool where Value.ID: Sendable {
        let late = addWaitingRegistrations()
        if late.isEmpty { return false }
        // What a commit leaves for its calls: the entry that it has written, and the value before.
        table.pending = [EntryID(slot: UInt32(truncatingIfNeeded: entry - table.block.entries))]
        writer.noteWrite(to: table)
        let calls = calls(for: writer.committedVersion).filter { late.contains($0.number) }
        enqueue(calls, [], [])
        writer.settleWrittenTables()
        return true
    }

    /// Runs a closure under the writers' lock that writes no values.
    func exclusively<Result>(
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

    /// Does what has been left to do, gives up the lock, and then what must wait until no lock is
    /// held: releasing what was displaced, and delivering.
    @usableFromInline
    func releaseWriterLock() {
        runErrands()
        let released = writer.takeReleased()
        let wakeTime = wakeTime.take()
        let ticket = writer.takeTicket()
        writerLock.release()
        withExtendedLifetime(released) {}
        schedule(wakeTime)
        // Errands may have been left since, by someone who found the lock taken.
        runErrandsIfIdle()
        if let ticket { deliveryQueue.deliver(through: ticket) }
    }
}
