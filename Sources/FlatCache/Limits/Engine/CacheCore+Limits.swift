extension CacheCore {
    /// Traps if this thread is in the middle of a write.
    ///
    /// Use is known only between commits, and evictions and expiries can't be rolled back.
    private func checkNotWriting(_ operation: StaticString) {
        precondition(
            !writerLock.isHeldByCurrentThread,
            """
            \(operation) was called in the middle of a write to the same cache. Call it before or \
            after the write.
            """
        )
    }

    // MARK: Policies

    @usableFromInline
    func limit<Value: Identifiable & Sendable>(
        _ table: Table<Value>,
        _ limit: CacheLimit<Value>,
        _ staleness: CacheStaleness<Value>,
        _ expiration: CacheExpiration<Value>
    ) where Value.ID: Sendable {
        checkNotWriting("limit(_:_:staleAfter:expires:)")
        // Marks the values that are stale under the present policy, so that they remain stale.
        if isTimed { expireAllDue() }
        withWriterLock("limit(_:_:staleAfter:expires:)") { writer in
            guard !isClosed else { return }
            if !writer.countsPins { beginToCountPins() }
            writer.hasLimits = true
            beginToRecordTimes()
            let policy = EvictionPolicy(limit, staleAfter: staleness, expires: expiration)
            policy.checkClock(policies.timeline)
            table.limit(policy, policies.timeline, wakeTime, in: writer)
        }
        // Expires values that are due under the new policy before the method returns.
        expireAllDue()
    }

    func beginToCountPins() {
        writer.countsPins = true
        for key in tables.allTables.flatMap({ $0.allPinned() }) { adjustPins(of: key, by: 1) }
    }

    private func adjustPins(of key: CacheKey, by difference: Int) {
        tables.table(withTypeIdentifier: key.typeIdentifier)?.adjustPins(of: key, by: difference)
    }

    // MARK: Commits

    /// Updates limits for the writes of the open transaction to tables.
    func recordWritten(to tables: some Collection<any AnyTable>) {
        guard writer.hasLimits || writer.countsPins else { return }
        for table in tables {
            if table.makesValuesStale { resolveStaleness(of: table) }
            table.recordWrittenEntries(in: writer)
        }
    }

    /// Updates pins for the changes of the open transaction to lists and aliases.
    func countPins(of tables: some Collection<any AnyTable>) {
        guard writer.countsPins else { return }
        for table in tables {
            for (key, difference) in table.pinChanges() { adjustPins(of: key, by: difference) }
        }
    }

    /// Evicts some of the excess values of the tables that the open transaction has written to;
    /// returns whether it evicted any.
    func evictExcess() -> Bool {
        guard writer.hasLimits else { return false }
        var evicted = 0
        for table in writer.writtenTables where table.hasLimits {
            evicted += table.evictExcess(in: writer)
        }
        guard evicted > 0 else { return false }
        removeOrphans()
        return true
    }

    /// Removes the orphaned entities as `removeOrphans(unless:)` does; watched and pinned entries
    /// are in use.
    @usableFromInline
    func removeOrphans() { removeOrphans(unless: { $0.isInUse($1) }) }

    /// Removes the orphaned entities, except those in use whose owners weren't removed explicitly.
    func removeOrphans(unless isInUse: (any AnyTable, EntryID) -> Bool) {
        while let (key, reason) = writer.orphans.popLast() {
            let table = tables.table(withTypeIdentifier: key.typeIdentifier)
            // An eviction, which keeps covered entities, follows their covering.
            if reason == .explicit { table?.uncover(key) }
            let entry = table?.entry(of: key).flatMap { table?.hasValue($0) == true ? $0 : nil }
            if reason == .explicit, mustRecordWithdrawals {
                recordRemoval(ofOwned: key, isStored: entry != nil)
            }
            guard let table, let entry, !table.isWrittenByAnother(in: self),
                reason == .explicit || !isInUse(table, entry)
            else { continue }
            table.remove(entry, for: reason, in: writer)
        }
    }

    // MARK: Pins

    @usableFromInline
    func pin<Value: Identifiable & Sendable>(
        _ id: Value.ID,
        in table: Table<Value>
    ) -> Disposable where Value.ID: Sendable {
        let registration = PendingRegistration(add: { [unowned table] _ in table.pin(id) })
        register(registration, "pin(_:id:)")
        return token(for: registration) { [unowned table] _ in table.unpin(id) }
    }

    // MARK: Trimming

    func trim(to target: TrimTarget) -> Int {
        checkNotWriting("trim(to:)")
        var trimmed = 0
        // The number of values to remove from each table is fixed in advance, so that values stored
        // meanwhile don't prolong the operation.
        var plans: [TrimPlan] = withWriterLock("trim(to:)") { _ in
            if !writer.countsPins { beginToCountPins() }
            let tables = tables.allTables.filter { !$0.isInternal }
            let total = tables.reduce(0) { $0 + $1.trimmableCount }
            return tables.map { table in
                let count = table.trimmableCount
                return TrimPlan(table: table, excess: count - target.share(of: count, total: total))
            }
        }
        while var plan = plans.popLast() {
            var evicted = 0
            trimmed += write("trim(to:)") { writer in
                doDeferredWork()
                let some = plan.table.trim(&plan, in: writer)
                removeOrphans()
                // The end of the commit evicts values above the table's limit as well.
                let count = plan.table.trimmableCount
                writer.addEnding { [table = plan.table] in evicted = count - table.trimmableCount }
                return some
            }
            trimmed += evicted
            plan.excess -= evicted
            if plan.excess > 0, !plan.isDone { plans.append(plan) }
            writerLock.giveWay()
        }
        return trimmed
    }

    // MARK: Expiry

    /// The maximum number of values that one commit examines for expiry.
    private static var expiredAtATime: Int { 256 }

    /// Expires due values in one commit; returns whether there may be more of them.
    ///
    /// - Parameter now: The time. It's the same for all calls of one round, so that a value in use
    ///   whose expiry is postponed isn't examined again in the round.
    private func expireSome(at now: Time) -> Bool {
        let mayBeMore = write("expireValues()") { writer in
            doDeferredWork()
            var left = Self.expiredAtATime
            for table in tables.allTables where left > 0 && table.hasLimits {
                left -= table.expireDue(at: now, atMost: left, in: writer)
            }
            removeOrphans()
            notifyOfStaleWholeValues()
            offerAllWakeTimes()
            return left == 0
        }
        writerLock.giveWay()
        return mayBeMore
    }

    func expireValues() {
        checkNotWriting("expireValues()")
        expireAllDue()
    }

    private func expireAllDue() {
        let now = policies.timeline.now
        while expireSome(at: now) {}
    }

    /// Makes the timer wake at the time of the next expiry, if that is earlier than its present
    /// wake time.
    ///
    /// - Parameter time: The time that the caller took from `wakeTime` under the writers' lock.
    func schedule(_ time: Time?) {
        guard let time, !isClosed else { return }
        let forget: @Sendable () -> Void = { [weak self] in self?.retryWakingLater() }
        timer.wake(at: time, forget: forget) { [weak self] in
            guard let now = self?.policies.timeline.now else { return }
            while let self, expireSome(at: now) { await Task.yield() }
        }
    }

    /// Offers the next wake time of each table to the thread that releases the writers' lock next.
    private func offerAllWakeTimes() {
        wakeTime.forgetKnownTime()
        for table in tables.allTables { wakeTime.offer(table.nextWakeTime) }
    }

    /// Makes the next write schedule the timer, after the clock has failed to sleep.
    private func retryWakingLater() {
        writerLock.acquire()
        offerAllWakeTimes()
        // Schedules nothing itself, because a clock that always fails would then use a processor
        // without end.
        writerLock.release()
        // A thread that found the lock taken may have deferred work meanwhile.
        doDeferredWorkIfIdle()
    }
}
