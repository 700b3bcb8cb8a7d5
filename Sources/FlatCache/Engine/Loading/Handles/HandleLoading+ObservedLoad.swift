extension HandleLoading: ObservedLoad {
    func record(_ withdrawal: Withdrawal) {
        if withdrawal.kind == .removal {
            // The commit may have stored the entity again.
            if core.get(Value.self, id: id) == nil { recordRemoval() }
            return
        }
        change { state in
            // The notification that the entity became stale, by the same commit, has begun the load
            // already.
            if state.loadWithdrawal >= withdrawal.number { return nil }
            return state.progress.recordInvalidation()
        }
    }

    func recordNewLoader() {
        callInOrder { [self] in change { $0.progress.recordNewLoader() } }
    }

    /// Ends the load after the removal of the entity.
    func recordRemoval() {
        change { state in
            state.progress.recordRemoval()
            // The load may have begun after an invalidation whose notification follows this one.
            state.loadWithdrawal = 0
            return nil
        }
    }

    func close() {
        var observation: Disposable?
        change { state in
            state.progress.stop()
            observation = state.entityObservation.take()
            return nil
        }
        observation?.dispose()
        let ends = state.withLock { state in
            var ends: [Notification] = []
            state.stateObservers.forEach { ends.append(.end($0)) }
            state.stateObservers = RegistrationList()
            return ends
        }
        if !ends.isEmpty { core.deliver(through: core.deliveryQueue.append(ends)) }
    }
}
