public import Synchronization

extension CacheCore {
    // MARK: Loading handles

    /// Adds a loading handle that has begun to count an observation.
    func insert(_ load: some ObservedLoad, of key: CacheKey) {
        observedLoads.withLock { $0.insert(load, of: key) }
        watchLoads()
        if isClosed { load.close() }
    }

    /// Removes a loading handle if a condition holds.
    ///
    /// - Parameter condition: A closure that is called under the lock of `observedLoads`.
    func remove(_ load: some ObservedLoad, of key: CacheKey, if condition: () -> Bool) {
        observedLoads.withLock { if condition() { $0.remove(load, of: key) } }
    }

    /// Makes removals and invalidations look for remembered failures and loading handles.
    func watchLoads() { watchesLoads.store(true, ordering: .sequentiallyConsistent) }

    /// A Boolean value that indicates whether a removal or an invalidation may concern loads.
    @inlinable var mayConcernLoads: Bool {
        writer.hasLeases || watchesLoads.load(ordering: .relaxed)
    }

    /// Makes the calls of the delivery queue, after the present write if there is one.
    func deliver(through ticket: DeliveryTicket?) {
        guard let ticket else { return }
        if writerLock.isHeldByCurrentThread {
            writer.mustDeliver(through: ticket)
        } else {
            deliveryQueue.deliver(through: ticket)
        }
    }

    // MARK: Withdrawals, under the writers' lock

    /// Records that an entity is removed or invalidated, whether or not it has a value, unless the
    /// savepoint is rolled back.
    @usableFromInline
    func recordWithdrawal<Value: Identifiable & Sendable>(
        _ kind: WriteKind,
        of id: Value.ID,
        in table: Table<Value>
    ) where Value.ID: Sendable {
        let key = CacheKey(Value.self, id: id)
        writer.addEnding { [self] in
            if writer.hasLeases {
                table.recordForLeases(kind, of: id, in: writer)
                // The transaction has stored the entity again.
                if kind == .removal, table.writtenValue(id: id) != nil {
                    table.recordForLeases(.store, of: id, in: writer)
                }
            }
            loads.separate(key)
            changeLoadFailures { $0.forget(key) }
        }
        notify(observedLoads.withLock { $0.loads(of: key) }, of: kind)
    }

    /// Records that all entities of a type are removed or invalidated.
    @usableFromInline
    func recordWithdrawalOfAll<Value: Identifiable & Sendable>(
        _ kind: WriteKind,
        in table: Table<Value>
    ) where Value.ID: Sendable {
        let typeIdentifier = table.typeIdentifier
        recordWithdrawal(kind, where: { $0.typeIdentifier == typeIdentifier }) { [self] in
            if writer.hasLeases { table.writeLog.recordAll(kind, at: writer.leases.position) }
        }
    }

    /// Records that all entities are removed.
    func recordRemovalOfAll() {
        recordWithdrawal(.removal, where: { _ in true }) { [self] in
            guard writer.hasLeases else { return }
            for table in tables.allTables { table.forgetWrites() }
            writer.leases.recordRemovalOfAll()
        }
    }

    private func recordWithdrawal(
        _ kind: WriteKind,
        where isWithdrawn: @escaping (CacheKey) -> Bool,
        recordForLeases: @escaping () -> Void
    ) {
        writer.addEnding { [self] in
            recordForLeases()
            loads.separate(where: isWithdrawn)
            changeLoadFailures { $0.forget(where: isWithdrawn) }
        }
        notify(observedLoads.withLock { $0.loads(where: isWithdrawn) }, of: kind)
    }

    /// Notifies loading handles after the transaction, unless the savepoint is rolled back.
    private func notify(_ loads: [any ObservedLoad], of kind: WriteKind) {
        if loads.isEmpty { return }
        let number = withdrawalCount.add(1, ordering: .sequentiallyConsistent).newValue
        let withdrawal = Withdrawal(number: number, kind: kind)
        writer.addCompletion {
            for load in loads { load.record(withdrawal) }
        }
    }

    // MARK: Failures

    /// Changes the remembered failures.
    ///
    /// The former ones are released after the locks, since the `deinit` of an error's objects may
    /// run any code.
    func changeLoadFailures(_ change: (inout LoadFailures) -> [LoadFailures.Failure]) {
        let former = loadFailures.withLock(change)
        if !former.isEmpty, writerLock.isHeldByCurrentThread {
            writer.releaseLater(Released(former))
        }
    }

    /// Remembers the failures of a call.
    ///
    /// If an entity was removed or invalidated since the call began, its failure isn't remembered.
    /// A call that's no longer needed has no failures to remember.
    ///
    /// - Parameters:
    ///   - error: The error, or `nil` if the answer didn't contain the entities.
    ///   - call: The call.
    ///   - missing: The keys without an answer, or `nil` for all keys of the call.
    ///   - duration: The time for which the failures are remembered, or `nil` if they aren't.
    func remember(
        _ error: (any Error)?,
        of call: LoadCall,
        only missing: [CacheKey]? = nil,
        for duration: Duration?
    ) {
        guard let duration, missing?.isEmpty != true else { return }
        var keys = call.joinableKeys
        if let missing = missing.map(Set.init) { keys.removeAll { !missing.contains($0) } }
        let now = policies.timeline.now
        let end = now.advanced(by: duration.nanoseconds)
        watchLoads()
        changeLoadFailures { $0.insert(error, of: keys, until: end, at: now) }
        // A removal or an invalidation may have come in between.
        let separated = Set(keys).subtracting(call.joinableKeys)
        if !separated.isEmpty { changeLoadFailures { $0.forget(where: separated.contains) } }
    }

    /// Forgets the failures of loads that have succeeded now.
    func forgetFailures<Value: Identifiable & Sendable>(of values: [Value])
    where Value.ID: Sendable {
        if loadFailures.withLock(\.isEmpty) { return }
        let keys = values.map { CacheKey($0) }
        changeLoadFailures { failures in keys.flatMap { failures.forget($0) } }
    }

    /// Returns the remembered failure of a load, if there is one.
    func loadFailure(of key: CacheKey) -> LoadFailures.Failure? {
        if loadFailures.withLock(\.isEmpty) { return nil }
        let now = policies.timeline.now
        return loadFailures.withLock { $0.failure(of: key, at: now) }
    }

    /// Returns the end of the pause before a failed load is repeated.
    ///
    /// Pauses double from one second to a minute. They end on a grid of a quarter of their length,
    /// so that the handles of one failed call are gathered again. The grid begins at a random
    /// time, so that several machines don't repeat their loads together.
    func endOfPause(afterFailures count: Int) -> Time {
        let pause: Int64 = min(60, 1 << Int64(min(count - 1, 6))) * 1_000_000_000
        let grid = pause / 4
        let earliest = policies.timeline.now.advanced(by: pause)
        let phase = Int64(truncatingIfNeeded: pausePhase % UInt64(grid))
        let offset = (earliest.nanoseconds % grid - phase + 2 * grid) % grid
        return offset == 0 ? earliest : earliest.advanced(by: grid - offset)
    }
}
