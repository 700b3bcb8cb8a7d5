import FlatCache

/// The state, the order of writes, and the listeners of one key of one storage in this process.
///
/// Lock order: `writing`, held during a write or a read of the storage; then the lock of `state`,
/// held briefly; then the lock of `listeners`. Listeners are called under none.
final class StorageChannel<Value: Sendable>: Sendable {
    let version = ValueVersion()
    private let writing = WriterLock()
    let state = Locked(ChannelState<Value>())
    private let listeners = ListenerList<StorageEvent<Value>>()
    private let queue = DeliveryQueue(.inline)
    private let watching = Locked<Disposable?>(nil)
    /// Compares two values; `nil` if they can't be compared.
    let areEqual: ValueComparison<Value>?

    /// The clock that times the attempts to store an unsaved value.
    let clock: any PersistenceClock

    init(areEqual: ValueComparison<Value>?, clock: any PersistenceClock) {
        self.areEqual = areEqual
        self.clock = clock
    }

    // MARK: Exclusive access

    /// Runs a closure while no other thread writes, and then makes the calls that it caused.
    ///
    /// Calls of this method may be nested, for the same channel and for others. The outermost one
    /// makes the calls at its end.
    func exclusively<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if writing.isHeldByCurrentThread { return try body() }
        LockedKeys.begin()
        writing.acquire()
        defer {
            writing.release()
            for queue in LockedKeys.end(queue) { queue.deliverCalls() }
        }
        return try body()
    }

    /// Makes calls in order with those to the listeners, one at a time, under no lock.
    func call(_ calls: [@Sendable () -> Void]) {
        queue.append(calls)
        deliver()
    }

    /// Makes the pending calls, or postpones them until this thread holds no key locked.
    func deliver() {
        if !LockedKeys.postpone(queue) { queue.deliverCalls() }
    }

    // MARK: Users

    /// Begins to keep the known value current.
    ///
    /// - Parameter watch: Begins to watch the storage for changes from outside. It's called for the
    ///   first user.
    func beginUse(_ watch: () -> Disposable?) {
        exclusively {
            guard state.withLock({ $0.beginUse() }) else { return }
            let token = watch()
            watching.withLock { $0 = token }
        }
    }

    func endUse() {
        var token: Disposable?
        exclusively {
            guard state.withLock({ $0.endUse() }) else { return }
            invalidate()
            token = watching.withLock { $0.take() }
        }
        // Disposed of under no lock, not even another key's: the watcher's end may wait for its
        // last call, and that call takes the locks.
        if let token { call([{ token.dispose() }]) }
    }

    func addListener(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (StorageEvent<Value>) -> Void
    ) -> Disposable {
        listeners.add(delivery: delivery, receive)
    }

    // MARK: Reading

    /// Returns the value that this process reads, and its version.
    ///
    /// If the value isn't known, the method reads the storage.
    func load(_ read: () throws -> Value?) throws -> (value: Value?, version: Int) {
        if let known = known() { return known }
        return try exclusively {
            if let known = known() { return known }
            let before = version.current
            // A storage with channels compares the value itself, and may return an unsaved one.
            let value = try read()
            setFirst(value, before)
            return known() ?? (value, before)
        }
    }

    /// Reads the storage, and notifies the listeners if its value has changed since it was last
    /// read.
    ///
    /// A value that can't be compared takes the place of the known one without a notification:
    /// reading isn't a change.
    ///
    /// - Returns: The value from the storage, or a newer one that could not be stored.
    func reload(_ read: () throws -> Value?) throws -> Value? {
        try exclusively {
            let before = version.current
            var found: Value?
            try compare(read) { value in
                found = value
                if isKnown {
                    recordFound(value, isAnnounced: false)
                } else {
                    setFirst(value, before)
                }
            }
            return state.withLock { state in
                if case .known(let value) = state.current { value } else { found }
            }
        }
    }

    /// Records the first value that a read found.
    ///
    /// If the storage announced a newer value during the read, the method does nothing.
    private func setFirst(_ value: Value?, _ before: Int) {
        state.withLock { state in
            guard state.isInUse, !state.isKnown, version.current == before else { return }
            state.set(current: .known(value), stored: .known(value))
        }
    }

    /// Reads the storage and passes its value to a closure.
    ///
    /// Until the closure returns, no thread reads an outdated value.
    func compare(
        _ read: () throws -> Value?,
        _ compare: (Value?) -> Void
    ) rethrows {
        let count = state.withLock { $0.reportCount }
        let value = try read()
        #if TestHooks
        Perturbation.perturb()
        #endif
        compare(value)
        state.withLock { $0.recordComparison(handling: count) }
    }

    /// Records that the storage may hold another value, so that the next read loads it.
    ///
    /// It's called on the thread that changes the storage. That thread may hold other keys locked,
    /// so the method waits only for the lock of `state`. The channel's own writes don't mark the
    /// value as outdated.
    func markOutdated() {
        if writing.isHeldByCurrentThread { return }
        state.withLock { state in
            state.markOutdated()
            _ = version.advance()
        }
    }

    /// Returns `true` if the last known value of the storage meets a condition.
    ///
    /// The condition is evaluated under no lock.
    func stores(_ condition: (Value?) -> Bool) -> Bool {
        guard case .known(let value) = state.withLock({ $0.stored }) else { return false }
        return condition(value)
    }

    /// Returns `true` if the last known value of the storage equals another.
    func stores(_ value: Value?) -> Bool {
        state.withLock { $0.stored }.holds(value, areEqual)
    }

    var isKnown: Bool { state.withLock { $0.isKnown } }

    private func known() -> (value: Value?, version: Int)? {
        state.withLock { state in
            guard case .known(let value) = state.current, !state.isOutdated else { return nil }
            return (value, version.current)
        }
    }

    // MARK: Writing

    /// Writes to the storage, and notifies the listeners of a change.
    func write(_ value: Value?, _ body: () throws -> Void) rethrows {
        try exclusively {
            try body()
            let isNew = !state.withLock { $0.current }.holds(value, areEqual)
            setCurrent(value, isNew: isNew)
        }
    }

    /// Makes reads return a value that could not be written, and notifies listeners of the error.
    ///
    /// - Parameters:
    ///   - isCorrupt: A closure that returns whether a stored value is corrupt, and must be copied
    ///     before this value replaces it.
    ///   - start: The time of the attempt to write; `nil` if the attempt took no time.
    ///   - lease: A lease that keeps the channel open until the value is stored or replaced.
    func setUnsaved(
        _ value: Value?,
        because error: any Error,
        isCorrupt: (@Sendable (Value?) -> Bool)? = nil,
        since start: Duration? = nil,
        lease: ChannelLease<Value>? = nil
    ) {
        var unsaved = UnsavedState(isCorrupt: isCorrupt, lease: lease)
        let now = clock.elapsed
        unsaved.retries.recordFailure(from: start ?? now, to: now)
        exclusively {
            state.change { state in
                state.current = .known(value)
                state.unsaved = unsaved
                _ = version.advance()
                queue.append(listeners.calls { .failed(error) })
            }
        }
    }

    var isUnsaved: Bool { state.withLock { $0.isUnsaved } }

    /// Records that the corrupt value under the unsaved one has been copied.
    func recordCopyOfCorruptValue() {
        state.withLock { state in
            state.unsaved?.isCorrupt = nil
            state.unsaved?.hasCopiedCorruptValue = true
        }
    }

    /// The state of the unsaved value; `nil` if the current value is stored.
    var unsaved: UnsavedState<Value>? { state.withLock { $0.unsaved } }

    func recordFailedAttempt(from start: Duration) {
        let end = clock.elapsed
        state.withLock { $0.unsaved?.retries.recordFailure(from: start, to: end) }
    }

    /// `true` while an attempt to store the unsaved value on another thread is scheduled.
    var isStoringInBackground: Bool { state.withLock { $0.isStoringInBackground } }

    /// Records that an attempt on another thread is scheduled; returns `false` if there already was
    /// one.
    func beginStoringInBackground() -> Bool {
        state.withLock { state in
            defer { state.isStoringInBackground = true }
            return !state.isStoringInBackground
        }
    }

    func endStoringInBackground() { state.withLock { $0.isStoringInBackground = false } }

    /// Notifies listeners of an error.
    func report(_ error: any Error) {
        exclusively { queue.append(listeners.calls { .failed(error) }) }
    }

    // MARK: The known value

    /// Discards the known value, so that the next read loads it.
    func invalidate() {
        state.change { state in
            state.set(current: .unknown, stored: .unknown)
            _ = version.advance()
        }
    }

    /// Sets the current value and the stored value, and notifies the listeners if the value is new.
    func setCurrent(_ value: Value?, isNew: Bool) {
        state.change { state in
            // An equal value may still be another instance, so the version advances and cached
            // results are read again.
            let version = version.advance()
            state.reportedError = nil
            if isNew {
                queue.append(listeners.calls { .changed(value, version: version) })
            }
            if state.isInUse { state.set(current: .known(value), stored: .known(value)) }
        }
    }
}

extension StorageChannel {
    /// Reads the storage, and notifies the listeners of a change from outside.
    ///
    /// The value counts as changed only if it differs from the last known value of the storage,
    /// because the current value may be newer than the stored one.
    func checkForExternalChange(_ read: () throws -> Value?) {
        exclusively {
            guard state.withLock({ $0.isInUse }) else { return }
            do {
                try compare(read) { recordFound($0, isAnnounced: true) }
            } catch {
                // A file that is being written may be unreadable at each of many events.
                let description = String(describing: error)
                let isNew = state.withLock { state in
                    defer { state.reportedError = description }
                    return state.reportedError != description
                }
                if isNew { report(error) }
            }
        }
    }

    /// Compares a value that was found in the storage with the known one.
    ///
    /// - Parameter isAnnounced: `true` if a value that can't be compared counts as a change.
    func recordFound(_ value: Value?, isAnnounced: Bool) {
        let (current, stored, hadError) = state.withLock { state in
            (state.current, state.stored, state.reportedError != nil)
        }
        if stored.holds(value, areEqual) {
            // After an error the listeners are notified of the value again.
            if hadError, current.holds(value, areEqual) { setCurrent(value, isNew: true) }
            return
        }
        if case .unknown = stored, case .known = current {
            // The unsaved value is newer than a value that could not be read then.
            return state.change { $0.stored = .known(value) }
        }
        let isComparable = areEqual != nil || value == nil || stored.holds(nil, areEqual)
        if !isComparable, !isAnnounced, isUnsaved { return }
        let isNew = !current.holds(value, areEqual)
        setCurrent(value, isNew: isNew && (isAnnounced || isComparable))
    }

    /// Records a change that a storage announces by itself.
    ///
    /// - Parameter isRepeatable: `true` if a read may have found the same change before, so that an
    ///   equal value isn't announced again.
    func receive(_ value: Value?, isRepeatable: Bool) {
        let isNew = !isRepeatable || !state.withLock { $0.current }.holds(value, areEqual)
        setCurrent(value, isNew: isNew)
        deliver()
    }
}
