// The loads and pauses of a handle. They run in tasks.
extension HandleLoading {
    func begin(_ activity: LoadProgress.Activity) {
        let number = activity.number
        // The activity belongs to no single observer, so it inherits no priority and no task-local
        // values.
        let task = Task.detached { [self] in
            switch activity {
            case .load: await load(number)
            case .pause(_, let end): await pause(number, until: end)
            }
        }
        let isCurrent = state.withLock { state in
            guard state.progress.number == number, state.progress.isActive else { return false }
            state.task = task
            return true
        }
        if !isCurrent { task.cancel() }
    }

    private func load(_ number: UInt64) async {
        do {
            guard let loader else { return }
            let options = options.with(loader)
            if core.mayAskSources {
                if let restore = loader.restore {
                    try await restore()
                } else {
                    try await core.askSource(for: [id], in: table, options)
                }
            }
            let answers = try await core.answers(
                to: [key],
                knowing: options.isStrict ? state.withLock(\.loadVersion) : nil,
                in: table,
                options,
                by: loader
            )
            callInOrder { [self] in endLoad(number, with: answers[key]) }
        } catch {
            callInOrder { [self] in failLoad(number, with: error) }
        }
    }

    private func endLoad(_ number: UInt64, with answer: LoadAnswer?) {
        let version = core.clock.visibleVersion
        let stored = core.get(Value.self, id: id)
        let isStale = core.freshness(of: id, in: table).isStale
        let storedVersion = table.storedVersion(of: id)?.version ?? 0
        var storedState = LoadProgress.StoredState(
            version: version,
            isWhole: stored.map(isWhole),
            isStale: isStale,
            isWholeValueStale: isWholeValueStale,
            becameStale: isStale && !wasStale(stored)
        )
        let isWhole = answer?.value(as: Value.self).map(isWhole)
        change { state in
            state.endTask(number)
            storedState.isNew = storedVersion > state.loadVersion
            return state.progress.endLoad(
                number,
                with: LoadProgress.Answer(isWhole: isWhole, conflict: answer?.conflict),
                storedAs: storedState
            )
        }
    }

    /// Returns whether the stored value was stale already when it was stored or, if it's the
    /// response of a request, when it arrived.
    ///
    /// The commit of a response may have waited for longer than its lifetime.
    func wasStale(_ value: Value?) -> Bool {
        guard table.wasStoredStale(id) else { return false }
        guard let response = value as? RequestState, let arrival = response.arrival,
            let end = response.staleFrom
        else { return true }
        return end <= arrival
    }

    private func failLoad(_ number: UInt64, with error: any Error) {
        // While the failure is remembered, another attempt makes no call.
        let remembered = options.policy == .networkOnly ? nil : core.loadFailure(of: key)?.end
        let isNeeded = isLoadNeeded(options.policy)
        // The clock may be the client's, so it's asked outside the lock.
        let now = core.policies.timeline.now
        change { state in
            state.endTask(number)
            return state.progress.failLoad(number, with: error, isNeeded: isNeeded) { count in
                max(core.endOfPause(afterFailures: count, from: now), remembered ?? .min)
            }
        }
    }

    private func pause(_ number: UInt64, until end: Time) async {
        do {
            try await core.policies.timeline.sleep(until: end)
        } catch {
            // Either another activity has begun, or the clock has failed. After a failure, only an
            // invalidation or a new observation loads the entity.
            return
        }
        callInOrder { [self] in
            let isNeeded = isLoadNeeded(options.policy)
            change { state in
                state.endTask(number)
                return state.progress.endPause(number, isNeeded: isNeeded)
            }
        }
    }
}

extension HandleLoading.State {
    /// Forgets the task of an activity that ends by itself.
    fileprivate mutating func endTask(_ number: UInt64) {
        if progress.number == number { task = nil }
    }
}
