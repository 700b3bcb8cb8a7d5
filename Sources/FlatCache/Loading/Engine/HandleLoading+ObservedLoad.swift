import Synchronization

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

    /// Records that calls for a request have begun or ended.
    func recordCalls(_ difference: Int) {
        change { state in
            state.progress.callCount += difference
            return nil
        }
    }

    /// Records that calls for the next page of a list have begun or ended, perhaps with an error.
    ///
    /// A cancelled call leaves the error of another one.
    func recordNextLoad(_ difference: Int, failing error: (any Error)? = nil) {
        // Released after the lock, since an error may contain any objects.
        var former: (any Error)?
        defer { withExtendedLifetime(former) {} }
        change { state in
            former = state.next.error
            state.next.callCount += difference
            if !(error is CancellationError) { state.next.error = error }
            return nil
        }
    }

    func resume() {
        callInOrder { [self] in
            let isNeeded = isLoadNeeded(options.policy)
            change { $0.progress.resume(isNeeded: isNeeded) }
        }
    }

    func recordStaleWholeValue() {
        let isNeeded = isLoadNeeded(.cacheFirst)
        change { $0.progress.recordStaleWholeValue(isNeeded: isNeeded) }
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
        var loaders: [UInt64: EntityLoader<Value>] = [:]
        change { state in
            state.progress.stop()
            observation = state.entityObservation.take()
            swap(&loaders, &state.loaders)
            return nil
        }
        observation?.dispose()
        withExtendedLifetime(loaders) {}
        let ends = state.withLock { state in
            defer { state.stateObservers = RegistrationList() }
            return state.stateObservers.map(Notification.end)
        }
        if !ends.isEmpty { core.deliver(through: core.deliveryQueue.append(ends)) }
    }
}
