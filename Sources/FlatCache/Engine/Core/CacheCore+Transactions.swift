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
        queryThreads.checkNotInQuery(operation)
        writerLock.acquire()
        deferClosingIfClosed()
        writer.beginTransaction(operation)
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

    /// Runs a closure that writes no values, under the writers' lock.
    func withWriterLock<Result>(
        _ operation: StaticString,
        _ body: (Writer) -> Result
    ) -> Result {
        if writerLock.isHeldByCurrentThread {
            writer.checkNotInUserCode(operation)
            return body(writer)
        }
        queryThreads.checkNotInQuery(operation)
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
        let missingKeys = writer.takeMissingKeys()
        writerLock.release()
        released.release()
        askSources(for: missingKeys)
        schedule(wakeTime)
        // A thread that found the lock taken may have deferred work meanwhile.
        doDeferredWorkIfIdle()
        if let ticket { deliveryQueue.deliver(through: ticket) }
    }
}
