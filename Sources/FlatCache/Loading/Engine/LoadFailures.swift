/// The failures of loads whose callers have given a time for which to remember them.
///
/// A plain value without locks or callbacks.
struct LoadFailures {
    struct Failure {
        /// The error, or `nil` if the answer didn't contain the entity.
        let error: (any Error)?
        /// The version that was visible when the call began.
        let version: UInt64
        /// The time from which on the failure is remembered.
        let start: Time
        /// The time until which the failure is remembered.
        let end: Time

        /// Returns whether an entity was stored after the beginning of the call that hasn't found
        /// it.
        ///
        /// Storing an equal value changes only the time, which is recorded for types with
        /// lifetimes.
        func isDisproved(byStoring version: UInt64, at time: Time?) -> Bool {
            error == nil && (version > self.version || time.map { $0 > start } ?? false)
        }
    }

    static var limit: Int { 10_000 }

    private var failures: [CacheKey: Failure] = [:]

    var isEmpty: Bool { failures.isEmpty }
    var count: Int { failures.count }

    func failure(of key: CacheKey, at now: Time) -> Failure? {
        failures[key].flatMap { now < $0.end ? $0 : nil }
    }

    /// Adds failures, and drops the ones that end first if there are too many.
    ///
    /// - Returns: The previous failures, to be released after the locks.
    @discardableResult
    mutating func insert(
        _ error: (any Error)?,
        of keys: [CacheKey],
        since version: UInt64,
        until end: Time,
        at now: Time
    ) -> [Failure] {
        var former: [Failure] = []
        for key in keys {
            let failure = Failure(error: error, version: version, start: now, end: end)
            if let displaced = failures.updateValue(failure, forKey: key) {
                former.append(displaced)
            }
        }
        guard failures.count > Self.limit else { return former }
        let ended = failures.filter { $0.value.end <= now }
        for key in ended.keys { former += forget(key) }
        guard failures.count > Self.limit else { return former }
        // Many failures may end at the same time. Dropping half of them makes this rare.
        let dropped = failures.sorted { $0.value.end < $1.value.end }
            .dropLast(Self.limit / 2)
        for (key, failure) in dropped {
            failures[key] = nil
            former.append(failure)
        }
        return former
    }

    /// Removes the failure of a load; returns it, to be released after the locks.
    @discardableResult
    mutating func forget(_ key: CacheKey) -> [Failure] {
        failures.isEmpty ? [] : failures.removeValue(forKey: key).map { [$0] } ?? []
    }

    /// Removes the failures of loads; returns them, to be released after the locks.
    @discardableResult
    mutating func forget(where isForgotten: (CacheKey) -> Bool) -> [Failure] {
        if failures.isEmpty { return [] }
        return failures.keys.filter(isForgotten).flatMap { forget($0) }
    }
}

// The remembered failures of loads, and the pauses that follow them.
extension CacheCore {
    /// Changes the remembered failures.
    ///
    /// The previous ones are released after the locks, since the `deinit` of an error's objects may
    /// run any code.
    func changeLoadFailures(_ change: (inout LoadFailures) -> [LoadFailures.Failure]) {
        let former = loadFailures.withLock(change)
        if !former.isEmpty, writerLock.isHeldByCurrentThread {
            writer.releaseLater(Released(former))
        }
    }

    /// Remembers the error of a call.
    func remember(
        _ error: any Error,
        of call: LoadCall,
        since version: UInt64,
        for duration: Duration?
    ) {
        remember({ _ in error }, of: call, only: nil, since: version, for: duration)
    }

    /// Remembers the failures of a call.
    ///
    /// If an entity was removed or invalidated since the call began, its failure isn't remembered.
    /// The failures of a call that's no longer needed aren't remembered either.
    ///
    /// - Parameters:
    ///   - error: A function that returns the error of a key, or `nil` if the answer didn't contain
    ///     the entity.
    ///   - call: The call.
    ///   - missing: The keys without an answer, or `nil` for all keys of the call.
    ///   - version: The version that was visible when the call began.
    ///   - duration: The time for which the failures are remembered, or `nil` if they aren't.
    func remember(
        _ error: (CacheKey) -> (any Error)?,
        of call: LoadCall,
        only missing: [CacheKey]?,
        since version: UInt64,
        for duration: Duration?
    ) {
        guard let duration, missing?.isEmpty != true else { return }
        var keys = call.joinableKeys
        if let missing = missing.map(Set.init) { keys.removeAll { !missing.contains($0) } }
        let now = policies.timeline.now
        let end = now.advanced(by: duration.nanoseconds)
        watchLoads()
        changeLoadFailures { failures in
            keys.flatMap { key in
                failures.insert(error(key), of: [key], since: version, until: end, at: now)
            }
        }
        // Another thread may have removed or invalidated an entity in between.
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

    func loadFailure(of key: CacheKey) -> LoadFailures.Failure? {
        if !mayRememberFailures || loadFailures.withLock(\.isEmpty) { return nil }
        let now = policies.timeline.now
        return loadFailures.withLock { $0.failure(of: key, at: now) }
    }

    func loadFailure<Value: Identifiable & Sendable>(
        of key: CacheKey,
        in table: Table<Value>
    ) -> LoadFailures.Failure? where Value.ID: Sendable {
        guard let failure = loadFailure(of: key), let id = key.id(as: Value.self) else {
            return nil
        }
        guard let (version, record) = table.storedVersion(of: id) else { return failure }
        return failure.isDisproved(byStoring: version, at: record?.stored) ? nil : failure
    }

    /// Removes the keys whose failures are remembered, or throws the error of one of them.
    func removeFailed<Value: Identifiable & Sendable>(
        from missing: inout [CacheKey],
        _ stale: inout [CacheKey],
        in table: Table<Value>
    ) throws where Value.ID: Sendable {
        stale.removeAll { loadFailure(of: $0, in: table) != nil }
        var firstError: (any Error)?
        missing.removeAll { key in
            guard let failure = loadFailure(of: key, in: table) else { return false }
            if firstError == nil { firstError = failure.error }
            return true
        }
        if let firstError { throw firstError }
    }

    /// Returns the end of the pause before a failed load is repeated.
    ///
    /// Pauses double from one second to a minute. Their ends are rounded up to a grid with steps of
    /// a quarter of the pause, which `pausePhase` shifts. For example, pauses of 4 seconds end at
    /// 10.3, 11.3 or 12.3 seconds. The handles of one failed call are therefore gathered again. The
    /// phase is random, so that several machines don't repeat their loads together.
    func endOfPause(afterFailures count: Int, from now: Time? = nil) -> Time {
        let pause: Int64 = min(60, 1 << Int64(min(count - 1, 6))) * 1_000_000_000
        let grid = pause / 4
        let earliest = (now ?? policies.timeline.now).advanced(by: pause)
        let phase = Int64(truncatingIfNeeded: pausePhase % UInt64(grid))
        let offset = (earliest.nanoseconds % grid - phase + 2 * grid) % grid
        return offset == 0 ? earliest : earliest.advanced(by: grid - offset)
    }
}
