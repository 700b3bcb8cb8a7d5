import Synchronization

// Removals and invalidations of entities that loads concern, under the writers' lock.
extension CacheCore {
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

    /// Forgets the failure and the running call of an entity that is removed with its owner, unless
    /// the savepoint is rolled back.
    ///
    /// The commit records the removal for the leases, and notifies loading handles.
    func forgetLoad(of key: CacheKey) {
        writer.addEnding { [self] in
            loads.separate(key)
            changeLoadFailures { $0.forget(key) }
        }
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
}
