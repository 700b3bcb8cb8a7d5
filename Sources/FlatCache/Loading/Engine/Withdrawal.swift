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

        func contains(_ key: CacheKey) -> Bool {
            switch self {
            case .entity(let entity): key == entity
            case .type(let type): key.typeIdentifier == ObjectIdentifier(type)
            case .requests(let prefix): key.id(as: RequestState.self)?.hasPrefix(prefix) ?? false
            case .all: true
            }
        }

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
        record(kind, of: .entity(CacheKey(Value.self, id: id))) { [self] in
            table.recordForLeases(kind, of: id, in: writer)
            // The transaction has stored the entity again.
            if kind == .removal, table.writtenValue(id: id) != nil {
                table.recordForLeases(.store, of: id, in: writer)
            }
        }
    }

    @usableFromInline
    func recordWithdrawalOfAll<Value: Identifiable & Sendable>(
        _ kind: WriteKind,
        in table: Table<Value>
    ) where Value.ID: Sendable {
        record(kind, of: .type(Value.self)) { [self] in
            // The log forgets single writes, so this one has to be later, even in the commit of an
            // answer.
            table.writeLog.recordAll(kind, at: writer.leases.lastNumber)
            table.forgetAllValues(in: writer)
        }
    }

    @usableFromInline
    func recordRemovalOfAll() {
        record(.removal, of: .all) { [self] in
            for table in tables.allTables { table.forgetWrites(in: writer) }
            writer.leases.recordRemovalOfAll()
            pageLoads.separate { _ in true }
        }
    }

    /// Records that the requests whose names have a prefix are invalidated.
    ///
    /// The invalidations of the stored and the running ones are recorded one by one.
    func recordInvalidation(ofRequestsWithPrefix prefix: String) {
        record(.invalidation, of: .requests(prefix: prefix)) {}
    }

    /// Records that an entity is removed with its owner.
    ///
    /// The commit records the removal for the leases, and notifies loading handles.
    func recordRemoval(ofOwned key: CacheKey, isStored: Bool) {
        let withdrawal = withdrawal(.removal, of: .entity(key))
        writer.addEnding(recording: withdrawal) { [self] in
            if isStored { forgetLoads(of: withdrawal.scope) }
            report(withdrawal)
        }
    }

    private func withdrawal(_ kind: WriteKind, of scope: Withdrawal.Scope) -> Withdrawal {
        let number = withdrawalCount.add(1, ordering: .sequentiallyConsistent).newValue
        return Withdrawal(number: number, kind: kind, scope: scope)
    }

    private func record(
        _ kind: WriteKind,
        of scope: Withdrawal.Scope,
        forLeases recordForLeases: @escaping () -> Void
    ) {
        let withdrawal = withdrawal(kind, of: scope)
        writer.addEnding(recording: withdrawal) { [self] in
            if writer.hasLeases { recordForLeases() }
            forgetLoads(of: scope)
            report(withdrawal)
        }
        let loads = observedLoads.withLock { $0.loads(in: scope) }
        if loads.isEmpty { return }
        writer.addCompletion {
            for load in loads { load.record(withdrawal) }
        }
    }

    /// Makes later loads start new calls, whether or not earlier ones have failed.
    private func forgetLoads(of scope: Withdrawal.Scope) {
        if case .entity(let key) = scope {
            loads.separate(key)
            changeLoadFailures { $0.forget(key) }
        } else {
            loads.separate(where: scope.contains)
            changeLoadFailures { $0.forget(where: scope.contains) }
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
