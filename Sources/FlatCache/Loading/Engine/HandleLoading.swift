import Synchronization

/// The loading of an entity while a handle is observed.
///
/// All handles of a request share one.
///
/// All loads and pauses begin and end in calls of the cache's delivery queue. The queue also makes
/// the notifications of the entity's changes, one at a time. A change before the beginning or the
/// end of a load is therefore never taken for a later change.
///
/// Lock order: the lock of `CacheCore.observedLoads` before `state`, and `state` before the lock of
/// the cache's delivery queue, to which changes of the load state are appended in their order.
@usableFromInline
final class HandleLoading<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    struct State {
        var progress = LoadProgress()
        /// The task of the present load or pause.
        var task: Task<Void, Never>?
        var entityObservation: Disposable?
        var stateObservers = RegistrationList<Observer>()
        /// The number of the latest withdrawal before the latest load began.
        var loadWithdrawal: UInt64 = 0
        /// The version that was visible when the latest load began.
        var loadVersion: UInt64 = 0
        /// The loaders of a request's observations, by the number of the observation.
        var loaders: [UInt64: EntityLoader<Value>] = [:]
        /// The number of threads and tasks that need the loading of a request.
        var holdCount = 0
        /// The progress of a loading list's next page.
        var next = NextPageProgress()

        /// `true` if the cache has to list the handle in `observedLoads`.
        var isObserved: Bool {
            progress.observationCount > 0 || !stateObservers.isEmpty || holdCount > 0
        }

        /// The number of changes that observers of the progress may see.
        var stateVersion: Int { progress.stateVersion + next.version }

        var notifications: [Notification] {
            let event = EventBox(progress.state)
            return stateObservers.map { .event(event, $0) }
        }
    }

    let id: Value.ID
    let core: CacheCore
    let table: Table<Value>
    let options: LoadOptions<Value>
    let state = Locked(State())

    init(
        _ id: Value.ID,
        in table: Table<Value>,
        of core: CacheCore,
        _ options: LoadOptions<Value>
    ) {
        self.id = id
        self.core = core
        self.table = table
        self.options = options
    }

    #if TestHooks
    deinit { StateTracking.didChangeAtomically(StateTracking.lockless) }
    #endif

    var key: CacheKey { CacheKey(Value.self, id: id) }

    /// `true` for a request: its observations have separate loaders, of which the newest one loads.
    private var isRequest: Bool { Value.self == RequestState.self }

    /// `true` if an observation of the entity lasts.
    var isObserved: Bool { state.withLock { $0.progress.observationCount > 0 } }

    var loadState: LoadState { state.withLock(\.progress.state) }

    // MARK: Observations

    /// Counts an observation of the entity, and loads the entity while the observation lasts.
    ///
    /// - Parameter observation: The observation of the entity.
    /// - Returns: The token that ends the observation.
    func load(during observation: Disposable) -> Disposable {
        if options.policy == .cacheOnly { return observation }
        checkLoader()
        let isFirst = state.withLock { $0.progress.beginObservation() }
        core.insert(self, of: key)
        if options.requirement != nil { core.require(Value.self) }
        if isFirst { observeEntity() }
        return load(during: observation, numbered: 0, isFirst: isFirst)
    }

    /// Loads the entity while an observation lasts that has been counted.
    ///
    /// - Parameters:
    ///   - observation: The observation of the entity.
    ///   - number: The number of the observation, by which its loader is listed.
    ///   - isFirst: Whether no other observation was counted before.
    /// - Returns: The token that ends the observation.
    func load(
        during observation: Disposable,
        numbered number: UInt64,
        isFirst: Bool
    ) -> Disposable {
        let policy = isFirst ? options.policy : .cacheFirst
        // The handle is notified of all later changes.
        if isLoadNeeded(policy) {
            // If another thread is delivering notifications, the load begins after this call has
            // returned. Its caller nevertheless sees that the handle loads.
            change { state in
                state.progress.expectLoad()
                return nil
            }
            callInOrder { [self] in
                let isNeeded = isLoadNeeded(policy)
                change { $0.progress.beginLoading(isNeeded: isNeeded) }
            }
        }
        return Disposable(stopping: observation.dispose) { [self] in endObservation(number) }
    }

    private func observeEntity() {
        let observation = core.observe(
            id,
            in: table,
            initial: .never,
            following: .none,
            wantsCauses: false,
            delivery: .inline
        ) { [weak self] in self?.record($0) }
        // Another thread may have ended the first observation and begun another one meanwhile.
        let surplus = state.withLock { state -> Disposable? in
            guard state.entityObservation == nil, state.progress.observationCount > 0 else {
                return observation
            }
            state.entityObservation = observation
            return nil
        }
        surplus?.dispose()
    }

    private func endObservation(_ number: UInt64) {
        var observation: Disposable?
        // Released after the lock, since the loader's closure may retain anything.
        var loader: EntityLoader<Value>?
        defer { withExtendedLifetime(loader) {} }
        change { state in
            loader = state.loaders.removeValue(forKey: number)
            if state.progress.endObservation() { observation = state.entityObservation.take() }
            return nil
        }
        observation?.dispose()
        forgetUnlessObserved()
    }

    func forgetUnlessObserved() {
        // A new observation is first counted, and then inserts the handle. If it isn't counted yet,
        // it inserts the handle after this removal. A request is counted and listed in one step.
        core.remove(self, of: key) { state.withLock { !$0.isObserved } }
    }

    func observe(
        initial: Bool,
        delivery: CacheDelivery,
        _ body: @escaping @Sendable (LoadState) -> Void
    ) -> Disposable {
        let observer = Observer(
            registration: core.nextRegistration(),
            delivery: delivery,
            body
        )
        let ticket = state.withLock { state -> DeliveryTicket? in
            state.stateObservers.insert(observer, for: observer.registration)
            guard initial else { return nil }
            return core.deliveryQueue.append([.event(EventBox(state.progress.state), observer)])
        }
        core.insert(self, of: key)
        core.deliver(through: ticket)
        return Disposable(stopping: observer.end) { [self] in
            state.withLock { $0.stateObservers.remove(observer.registration) }
            forgetUnlessObserved()
        }
    }

    // MARK: Changes

    /// Traps if the type has no loader.
    private func checkLoader() {
        if core.isClosed { return }
        let _: EntityLoader<Value> = core.registeredLoader()
    }

    /// The loader of the next load, or `nil` if the last observation of a request has ended.
    var loader: EntityLoader<Value>? {
        if !isRequest { return core.registeredLoader() }
        return state.withLock { $0.loaders.max { $0.key < $1.key }?.value }
    }

    /// Returns the options with the requirement of the type's loader.
    private func options(_ policy: LoadPolicy) -> LoadOptions<Value> {
        let options = LoadOptions(policy: policy, requirement: options.requirement)
        // The loaders of requests have none.
        return isRequest ? options : options.with(core.registeredLoader())
    }

    func isLoadNeeded(_ policy: LoadPolicy) -> Bool {
        if core.isClosed { return false }
        if case .answered = core.need(of: id, in: table, options(policy)) { return false }
        return true
    }

    /// Returns whether a value meets the requirements of the handle and of the loader.
    func isWhole(_ value: Value) -> Bool {
        core.isClosed || options(options.policy).accepts(value)
    }

    /// `true` if the entity's latest whole value is stale, while the stored one may be fresh.
    var isWholeValueStale: Bool {
        if core.isClosed { return false }
        return core.isWholeValueStale(of: id, in: table, options(options.policy))
    }

    /// Records a change of the entity, in the order of the commits.
    func record(_ change: EntityChange<Value>) {
        switch change.kind {
        case .inserted, .updated:
            guard let value = change.new else { return }
            let isWhole = isWhole(value) && !isWholeValueStale
            // A value that has become stale since its commit counts as fresh here: the notification
            // of its staleness follows, and begins the load.
            let isStale = wasStale(value)
            // A late answer may store a stale value again.
            let isEqual = change.old.flatMap { table.traits.isEqual?($0, value) } ?? false
            self.change {
                $0.progress.recordStored(
                    version: change.version,
                    isWhole: isWhole,
                    isStale: isStale,
                    isRepeated: isStale && isEqual
                )
            }
        case .becameStale:
            let isNeeded = isLoadNeeded(.cacheFirst)
            self.change { $0.progress.recordStale(isNeeded: isNeeded) }
        case .removed(let reason):
            let isStored = core.get(Value.self, id: id) != nil
            // A value in use isn't evicted, but an eviction may have begun before the observation
            // was registered, and be published after its first look at the value.
            let isEvicted = reason != .explicit && !isStored && !core.isClosed
            self.change { state in
                state.progress.recordRemoval(version: change.version, isStored: isStored)
                // An active load may have begun after a later invalidation, whose notification
                // follows.
                if !state.progress.isActive { state.loadWithdrawal = 0 }
                return isEvicted ? state.progress.recordStale(isNeeded: true) : nil
            }
        case .related: break
        }
    }

    /// Calls a closure in the delivery queue, after the notifications of all earlier commits.
    func callInOrder(_ body: @escaping @Sendable () -> Void) {
        core.deliver(through: core.deliveryQueue.append([.action(body)]))
    }

    /// Changes the state, notifies the observers of the load state, and begins an activity.
    ///
    /// - Parameter body: A closure that changes the state under its lock, and returns the activity
    ///   to begin.
    func change(_ body: (inout State) -> LoadProgress.Activity?) {
        var ended: Task<Void, Never>?
        var ticket: DeliveryTicket?
        // The previous state is released after the lock, since the `deinit` of an error's objects
        // may run any code.
        var former: LoadState?
        // The clock may be the client's, so it's asked outside the lock.
        let now = core.policies.timeline.now
        let endOfPause = core.endOfPause(afterFailures: 1, from: now)
        let activity = state.withLock { state in
            former = state.progress.state
            state.progress.now = now
            state.progress.endOfPause = endOfPause
            // Read under the lock: the end of the pause resumes the handle after it.
            state.progress.isSuspended =
                core.loadPauseCount.load(ordering: .sequentiallyConsistent) > 0
            let (number, version) = (state.progress.number, state.stateVersion)
            let nextVersion = state.next.version
            let activity = body(&state)
            if case .load = activity {
                state.loadWithdrawal = core.withdrawalCount.load(ordering: .sequentiallyConsistent)
                state.loadVersion = core.clock.visibleVersion
            }
            if state.progress.number != number { ended = state.task.take() }
            // A load that follows another one at once shows no change.
            let isSame = former?.isLoading == true && state.progress.state.isLoading
            let isChanged = state.stateVersion != version && !isSame
            if isChanged || state.next.version != nextVersion, !state.stateObservers.isEmpty {
                ticket = core.deliveryQueue.append(state.notifications)
            }
            return activity
        }
        withExtendedLifetime(former) {}
        ended?.cancel()
        core.deliver(through: ticket)
        if let activity { begin(activity) }
    }
}
