/// The progress of a loading handle between its observations, its loads and its pauses.
///
/// A plain value that calls nothing. Each method returns the activity that its caller has to begin.
struct LoadProgress {
    private enum Phase {
        case idle
        /// A new observation needs the load.
        ///
        /// The load begins after the notifications of the commits so far.
        case waiting
        case loading
        /// A pause after an error, or after too many loads in a short time.
        case pausing((any Error)?, until: Time)
        /// A pause after an error has ended during a pause of all loads.
        case failed(any Error)
    }

    private var phase = Phase.idle {
        didSet {
            if callCount > 0 { return }
            // Clients see no difference between the two.
            if case .waiting = oldValue, case .loading = phase { return }
            stateVersion += 1
        }
    }
    /// The number of running calls for the response of a request, including those of `load()`.
    var callCount = 0 {
        didSet {
            if (oldValue > 0) == (callCount > 0) { return }
            switch phase {
            case .waiting, .loading: return
            case .idle, .pausing, .failed: stateVersion += 1
            }
        }
    }
    /// The number of changes of the phase that clients may see.
    private(set) var stateVersion = 0
    /// The number of the latest activity.
    ///
    /// The ends of earlier activities have no effect.
    private(set) var number: UInt64 = 0
    private(set) var observationCount = 0
    /// The number of loads that have failed since the last success.
    private var failureCount = 0
    /// The version of the stored entity at the end of the last load.
    private var answeredVersion: UInt64 = 0
    /// `true` if the handle was notified of an invalidation since the load began.
    private var wasInvalidated = false
    /// `true` if the last answer didn't meet the requirement.
    ///
    /// Another partial value then doesn't make the handle load again: two handles with different
    /// requirements would load in turns, without end.
    private var isPartial = false
    /// `true` if the last answer was stale when it arrived.
    ///
    /// The notification of its staleness then doesn't make the handle load again.
    private var arrivedStale = false
    /// `true` if the answer of the load before the present one was outdated.
    private var isRepetition = false
    private var rateLimit = LoadRateLimit()
    /// The time of the present change, set by the caller before it.
    var now = Time.start
    /// The end of a pause that begins now because of too many loads.
    var endOfPause = Time.start
    /// `true` if the handle was notified during the present load that the entity became stale.
    ///
    /// No such notification then follows the answer.
    private var becameStaleWhileLoading = false
    /// `true` while no observation loads, set by the caller before each change.
    var isSuspended = false
    /// `true` if the handle has to load when observations load again.
    private var isPutOff = false

    /// The phase, as clients see it.
    var state: LoadState {
        if callCount > 0 { return .loading }
        return switch phase {
        case .idle: .idle
        case .waiting, .loading: .loading
        case .failed(let error): .failed(error, nextAttempt: nil)
        case .pausing(let error?, let end): .failed(error, nextAttempt: CacheInstant(end))
        case .pausing(nil, _): .idle
        }
    }

    /// `true` if a load is to begin, or a load or a pause is in progress.
    var isActive: Bool {
        if case .idle = phase { false } else { true }
    }

    // MARK: Observations

    /// Begins an observation; returns whether it's the first one.
    mutating func beginObservation() -> Bool {
        observationCount += 1
        return observationCount == 1
    }

    /// Shows a load that ``beginLoading(isNeeded:)`` is expected to begin for a new observation.
    mutating func expectLoad() {
        guard case .idle = phase, observationCount > 0, !isSuspended else { return }
        phase = .waiting
    }

    /// Begins to load for a new observation, or ends the wait for the load if it isn't needed.
    mutating func beginLoading(isNeeded: Bool) -> Activity? {
        switch phase {
        case .idle, .waiting: break
        case .loading, .pausing, .failed: return nil
        }
        // The client determines how often observations begin, so these loads count, but they don't
        // wait.
        if isNeeded, observationCount > 0 { return load(isForced: true) }
        if case .waiting = phase { phase = .idle }
        return nil
    }

    /// Ends an observation; returns whether it was the last one.
    mutating func endObservation() -> Bool {
        observationCount -= 1
        guard observationCount == 0 else { return false }
        stop()
        return true
    }

    /// Ends the present activity, and forgets the earlier answers and failures.
    mutating func stop() {
        forgetAnswers()
        if case .idle = phase { return }
        number += 1
        phase = .idle
    }

    private mutating func forgetAnswers() {
        failureCount = 0
        isPartial = false
        arrivedStale = false
        wasInvalidated = false
        isPutOff = false
    }

    // MARK: The entity

    /// Records that the entity was stored by a commit.
    ///
    /// - Parameters:
    ///   - version: The version of the commit.
    ///   - isWhole: Whether the value meets the requirement.
    ///   - isStale: Whether the value was stale already when it was stored. The notification of its
    ///     staleness then doesn't make the handle load: two handles would load in turns, without
    ///     end.
    ///   - isRepeated: Whether the value was stored again that had become stale. That doesn't end a
    ///     pause.
    mutating func recordStored(
        version: UInt64,
        isWhole: Bool,
        isStale: Bool,
        isRepeated: Bool = false
    ) -> Activity? {
        guard observationCount > 0, version > answeredVersion else { return nil }
        if isWhole {
            isPartial = false
            switch phase {
            case .pausing, .failed: if !isRepeated { stop() }
            case .idle, .waiting, .loading: break
            }
        }
        arrivedStale = isStale
        // An earlier staleness concerned the previous value.
        if !isRepeated { becameStaleWhileLoading = false }
        if isWhole { return nil }
        guard case .idle = phase, !isPartial else { return nil }
        return load()
    }

    /// Records that a commit removed the entity.
    ///
    /// - Parameters:
    ///   - version: The version of the commit.
    ///   - isStored: Whether the entity has been stored again since.
    mutating func recordRemoval(version: UInt64, isStored: Bool) {
        // The removal is outdated: the last load ended after the entity had been stored again.
        if isStored, version <= answeredVersion { return }
        recordRemoval()
    }

    /// Records that the entity was removed, whether or not it was stored.
    mutating func recordRemoval() {
        // A new observation loads the entity, also if the notification of an earlier removal comes
        // late.
        if case .waiting = phase { forgetAnswers() } else { stop() }
    }

    /// Records that the entity became stale.
    ///
    /// - Parameter isNeeded: Whether the entity has to be loaded now.
    mutating func recordStale(isNeeded: Bool) -> Activity? {
        if arrivedStale {
            arrivedStale = false
            return nil
        }
        if case .loading = phase { becameStaleWhileLoading = true }
        guard case .idle = phase, observationCount > 0, isNeeded else { return nil }
        return load()
    }

    /// Records that the entity's latest whole value became stale, while the stored one is fresh.
    ///
    /// - Parameter isNeeded: Whether the entity has to be loaded now.
    mutating func recordStaleWholeValue(isNeeded: Bool) -> Activity? {
        guard case .idle = phase, observationCount > 0, isNeeded, !isPartial else { return nil }
        return load()
    }

    /// Records that the entity was invalidated.
    ///
    /// A load that runs isn't interrupted: its end shows whether its answer is newer.
    mutating func recordInvalidation() -> Activity? {
        switch phase {
        case .loading:
            wasInvalidated = true
            return nil
        case .waiting:
            forgetAnswers()
            return nil
        case .pausing(nil, _):
            // The entity is loaded at the end of the pause.
            return nil
        case .idle, .pausing, .failed:
            guard observationCount > 0 else { return nil }
            stop()
            return load()
        }
    }

    // MARK: Activities

    /// Begins a load, or a pause before it if there were too many in a short time.
    ///
    /// Loads of several entities can undo one another in many ways: for example, by nested entities
    /// or by invalidations. The limit therefore counts all loads, whatever their reason.
    private mutating func load(
        repeating isRepetition: Bool = false,
        isForced: Bool = false
    ) -> Activity? {
        if isSuspended {
            putOff()
            return nil
        }
        guard rateLimit.allowsLoad(at: now) || isForced else {
            return pause(nil, until: endOfPause)
        }
        number += 1
        phase = .loading
        self.isRepetition = isRepetition
        wasInvalidated = false
        becameStaleWhileLoading = false
        return .load(number)
    }

    /// Leaves a load to the end of the pause of all loads.
    private mutating func putOff() {
        isPutOff = true
        if case .idle = phase { return }
        number += 1
        if case .pausing(let error?, _) = phase {
            phase = .failed(error)
        } else {
            phase = .idle
        }
    }

    /// Begins the load that was put off.
    ///
    /// - Parameter isNeeded: Whether the entity still has to be loaded.
    mutating func resume(isNeeded: Bool) -> Activity? {
        guard isPutOff, !isSuspended else { return nil }
        isPutOff = false
        switch phase {
        case .idle, .failed: break
        case .waiting, .loading, .pausing: return nil
        }
        if isNeeded, observationCount > 0 { return load(isForced: true) }
        stop()
        return nil
    }

    /// Ends a load with an answer.
    ///
    /// - Parameters:
    ///   - answer: The answer, or `nil` if there is none.
    ///   - state: The entity as it's stored now.
    mutating func endLoad(
        _ ended: UInt64,
        with answer: Answer,
        storedAs state: StoredState
    ) -> Activity? {
        guard ended == number, case .loading = phase else { return nil }
        phase = .idle
        failureCount = 0
        answeredVersion = max(answeredVersion, state.version)
        isPartial = state.isWhole == false || state.isWholeValueStale
        // The stored value is the answer, or a later value. If it has become stale since it was
        // stored, the handle loads it again: now, or at the notification of its staleness.
        let isStored = answer.isWhole != nil && answer.conflict == nil
        let becameStale = state.becameStale && (isStored || state.isNew) && !wasInvalidated
        let becameStaleBefore = becameStale && becameStaleWhileLoading
        if becameStaleBefore, isStored { return load() }
        arrivedStale = state.isStale && !becameStaleWhileLoading && !becameStale
        let isNeeded = state.isStale || state.isWhole != true || state.isWholeValueStale
        guard isNeeded, becameStaleBefore || isOutdated(answer, storedAs: state) else {
            return nil
        }
        return load(repeating: true)
    }

    /// Returns whether a write or an invalidation since the load began has outdated an answer.
    ///
    /// A removal needs no check, because it has ended the load. A write makes only one answer
    /// outdated. Otherwise, a loader that stores entities itself would be called without end.
    private func isOutdated(_ answer: Answer, storedAs state: StoredState) -> Bool {
        if wasInvalidated || answer.conflict == .invalidation { return true }
        if isRepetition { return false }
        return answer.conflict == .store || (state.isWhole == false && answer.isWhole == true)
    }

    /// Ends a load with an error.
    ///
    /// - Parameters:
    ///   - isNeeded: Whether the entity still has to be loaded.
    ///   - end: A function that returns the end of the pause after a number of failures.
    mutating func failLoad(
        _ ended: UInt64,
        with error: any Error,
        isNeeded: Bool,
        pausingUntil end: (_ failureCount: Int) -> Time
    ) -> Activity? {
        guard ended == number, case .loading = phase else { return nil }
        if !isNeeded {
            stop()
            return nil
        }
        failureCount += 1
        return pause(error, until: end(failureCount))
    }

    private mutating func pause(_ error: (any Error)?, until end: Time) -> Activity {
        phase = .pausing(error, until: end)
        number += 1
        return .pause(number, until: end)
    }

    /// Ends a pause.
    ///
    /// - Parameter isNeeded: Whether the entity has to be loaded.
    mutating func endPause(_ ended: UInt64, isNeeded: Bool) -> Activity? {
        guard ended == number, case .pausing(let error, _) = phase else { return nil }
        // If a loader invalidates its own entity, the handle loads it only once after each pause.
        if isNeeded { return load(repeating: error == nil) }
        stop()
        return nil
    }

    /// Records that another loader was set, and ends the pause after an error.
    mutating func recordNewLoader() -> Activity? {
        guard case .pausing(_?, _) = phase else { return nil }
        failureCount = 0
        return load()
    }
}
