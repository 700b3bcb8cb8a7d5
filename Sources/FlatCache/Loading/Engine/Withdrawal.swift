import Synchronization

/// An explicit removal or invalidation of entities, whether or not they have values.
package struct Withdrawal: Sendable {
    /// The entities that a withdrawal concerns.
    package enum Scope: Sendable {
        case entity(CacheKey)
        case type(Any.Type)
        /// The requests whose names have a prefix.
        case requests(prefix: String)
        case all

        /// The identifier of the only entity, if it has a type.
        func id<Value: Identifiable & Sendable>(of type: Value.Type) -> Value.ID?
        where Value.ID: Sendable {
            if case .entity(let key) = self { key.id(as: type) } else { nil }
        }
    }

    /// The number of the withdrawal, counted by `CacheCore.withdrawalCount`.
    let number: UInt64
    let kind: WriteKind
    package let scope: Scope

    /// `true` if the entities were removed, rather than invalidated.
    package var isRemoval: Bool { kind == .removal }
}

// Explicit removals and invalidations of entities, under the writers' lock.
//
// These withdrawals concern loads and recorders whether or not memory holds the entities. If the
// savepoint of a withdrawal is rolled back, its records are dropped.
extension CacheCore {
    @usableFromInline
    func recordWithdrawal<Value: Identifiable & Sendable>(
        _ kind: WriteKind,
        of id: Value.ID,
        in table: Table<Value>
    ) where Value.ID: Sendable {
        let key = CacheKey(Value.self, id: id)
        let withdrawal = withdrawal(kind, of: .entity(key))
        writer.addEnding(recording: withdrawal) { [self] in
            if writer.hasLeases {
                table.recordForLeases(kind, of: id, in: writer)
                // The transaction has stored the entity again.
                if kind == .removal, table.writtenValue(id: id) != nil {
                    table.recordForLeases(.store, of: id, in: writer)
                }
            }
            loads.separate(key)
            changeLoadFailures { $0.forget(key) }
            report(withdrawal)
        }
        notify(observedLoads.withLock { $0.loads(of: key) }, of: withdrawal)
    }

    /// Records that an entity is removed with its owner.
    ///
    /// The commit records the removal for the leases, and notifies loading handles.
    func recordRemoval(ofOwned key: CacheKey, isStored: Bool) {
        let withdrawal = withdrawal(.removal, of: .entity(key))
        writer.addEnding(recording: withdrawal) { [self] in
            if isStored {
                loads.separate(key)
                changeLoadFailures { $0.forget(key) }
            }
            report(withdrawal)
        }
    }

    @usableFromInline
    func recordWithdrawalOfAll<Value: Identifiable & Sendable>(
        _ kind: WriteKind,
        in table: Table<Value>
    ) where Value.ID: Sendable {
        let typeIdentifier = table.typeIdentifier
        let withdrawal = withdrawal(kind, of: .type(Value.self))
        record(withdrawal, where: { $0.typeIdentifier == typeIdentifier }) { [self] in
            if writer.hasLeases { table.writeLog.recordAll(kind, at: writer.leases.position) }
        }
    }

    @usableFromInline
    func recordRemovalOfAll() {
        record(withdrawal(.removal, of: .all), where: { _ in true }) { [self] in
            guard writer.hasLeases else { return }
            for table in tables.allTables { table.forgetWrites() }
            writer.leases.recordRemovalOfAll()
            pageLoads.separate { _ in true }
        }
    }

    /// Records that the requests whose names have a prefix are invalidated.
    ///
    /// The invalidations of the stored and the running ones are recorded one by one.
    func recordInvalidation(ofRequestsWithPrefix prefix: String) {
        let withdrawal = withdrawal(.invalidation, of: .requests(prefix: prefix))
        writer.addEnding(recording: withdrawal) { [self] in
            changeLoadFailures {
                $0.forget { $0.id(as: RequestState.self)?.hasPrefix(prefix) ?? false }
            }
            report(withdrawal)
        }
    }

    private func withdrawal(_ kind: WriteKind, of scope: Withdrawal.Scope) -> Withdrawal {
        let number = withdrawalCount.add(1, ordering: .sequentiallyConsistent).newValue
        return Withdrawal(number: number, kind: kind, scope: scope)
    }

    private func record(
        _ withdrawal: Withdrawal,
        where isWithdrawn: @escaping (CacheKey) -> Bool,
        recordForLeases: @escaping () -> Void
    ) {
        writer.addEnding(recording: withdrawal) { [self] in
            recordForLeases()
            loads.separate(where: isWithdrawn)
            changeLoadFailures { $0.forget(where: isWithdrawn) }
            report(withdrawal)
        }
        notify(observedLoads.withLock { $0.loads(where: isWithdrawn) }, of: withdrawal)
    }

    /// Notifies loading handles after the transaction.
    private func notify(_ loads: [any ObservedLoad], of withdrawal: Withdrawal) {
        if loads.isEmpty { return }
        writer.addCompletion {
            for load in loads { load.record(withdrawal) }
        }
    }

    /// Passes a withdrawal on to the recorders, at the end of its transaction.
    private func report(_ withdrawal: Withdrawal) {
        writer.participants.withdrawalRecorders.forEach { recorder in
            writer.runUserCode("record(_:)", of: (any WithdrawalRecorder).self) {
                recorder.record(withdrawal)
            }
        }
    }
}
