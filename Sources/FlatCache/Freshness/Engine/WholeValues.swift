/// The times of the latest whole values of a type's entities.
///
/// A value is whole if it meets the requirement of the type's loader before it's merged. An entity
/// is listed only if its stored value meets the requirement as well, and a partial value was merged
/// into it since. The latest whole value of any other entity is as old as the stored one.
///
/// A plain value without locks or callbacks.
struct WholeValues<Value: Identifiable & Sendable> where Value.ID: Sendable {
    /// The loader's requirement, or `nil` if the loader isn't set yet.
    var requirement: (@Sendable (Value) -> Bool)?
    /// `true` if writes tell whole values from partial ones.
    var isTracked = false
    var times = ChunkedDictionary<Value.ID, StoredTimes>()
}

extension StoredTimes {
    /// The times of a whole value that doesn't count any more, or has never been stored.
    static var lost: StoredTimes { StoredTimes(stored: .min, staleFrom: .min) }
}

// Reading, on any thread.
extension Table {
    /// Returns whether the latest whole value of an entity is stale, while the stored one may be
    /// fresh.
    func isWholeValueStale(of id: Value.ID, at now: () -> Time) -> Bool {
        guard let times = wholeValues.withLock({ $0.times[id] }) else { return false }
        return times.staleFrom <= now()
    }

    /// Returns the time since the latest whole value of an entity was stored, `.max` if none
    /// counts, or `nil` if the stored value is the latest whole one.
    ///
    /// - Parameters:
    ///   - value: The value of the entity in a snapshot.
    ///   - stored: The freshness of the value.
    ///   - isChanged: Whether the entity was written since the snapshot.
    func wholeAge(
        of value: Value,
        _ stored: StoredRecord,
        isChanged: @autoclosure () -> Bool,
        at now: Time
    ) -> Duration? {
        let (isTracked, requirement, times) = wholeValues.withLock {
            ($0.isTracked, $0.requirement, $0.times[value.id])
        }
        guard isTracked else { return nil }
        let none = StoredFreshness.noWholeValue
        if let requirement, !requirement(value) { return none }
        // The times are those of the latest commit. If the entity was written since the snapshot,
        // they're only known to be its own if no whole value was stored since.
        guard let times else { return isChanged() ? none : nil }
        if times.staleFrom <= now || times.stored > stored.record.stored && isChanged() {
            return none
        }
        return .nanoseconds(now.nanoseconds(since: times.stored))
    }
}

// Everything below is called under the writers' lock.
extension Table {
    /// Sets the requirement of the type's loader.
    func setRequirement(_ requirement: (@Sendable (Value) -> Bool)?, in writer: Writer) {
        if traits.merge == nil || requirement == nil && !tracksWholeValues { return }
        tracksWholeValues = requirement != nil
        let former = wholeValues.withLock { whole in
            let former = whole
            whole.requirement = requirement
            whole.isTracked = requirement != nil
            if requirement == nil { whole.times = ChunkedDictionary() }
            return former
        }
        writer.releaseLater(Released(former))
    }

    /// Makes the table tell whole values from partial ones before the loader is set, since a
    /// participant's storage does.
    func beginToTrackWholeValues() {
        tracksWholeValues = true
        wholeValues.withLock { $0.isTracked = true }
    }

    /// Returns whether a value meets the loader's requirement, or `nil` if that isn't known yet.
    private func isWhole(_ value: Value, _ writer: Writer) -> Bool? {
        guard let requirement = wholeValues.withLock({ $0.requirement }) else { return nil }
        return writer.runUserCode("requiring:", of: Value.self) { requirement(value) }
    }

    func forgetWholeValues(in writer: Writer) {
        if tracksWholeValues {
            let former = wholeValues.withLock { whole in
                defer { whole.times = ChunkedDictionary() }
                return whole
            }
            writer.releaseLater(Released(former))
        }
    }

    // MARK: Commits

    /// The effect of the open transaction on the latest whole value of an entity.
    enum WholeValueChange {
        case none
        /// A whole value was stored.
        case renewed
        /// The former whole value doesn't count any more.
        case lost
        case restored(Time)
    }

    /// Returns the effects of the open transaction on the entities whose incoming values are known.
    func wholeValueChanges(in writer: Writer) -> [Value.ID: WholeValueChange] {
        var changes: [Value.ID: WholeValueChange] = [:]
        for write in incoming.writes {
            switch write.kind {
            case .over, .replacing:
                // The parts of an outdated value are beneath the stored ones.
                if let value = write.value, isWhole(value, writer) == true,
                    !isOutdated(value, write.former, writer)
                {
                    changes[write.id] = .renewed
                } else if changes[write.id] == nil {
                    changes[write.id] = WholeValueChange.none
                }
            case .beneath: changes[write.id] = changes[write.id] ?? WholeValueChange.none
            case .removal, .invalidation: changes[write.id] = .lost
            case .restoring(let time): changes[write.id] = time.map { .restored($0) } ?? .renewed
            }
        }
        return changes
    }

    private func isOutdated(_ value: Value, _ former: Value?, _ writer: Writer) -> Bool {
        guard let isOutdated = traits.isOutdated, let former else { return false }
        return writer.runUserCode("the version", of: Value.self) { isOutdated(value, former) }
    }

    /// Returns the times of an entity's latest whole value after the open transaction, or `nil` if
    /// that is the stored one, or the entity has none.
    ///
    /// - Parameter change: The effect of the transaction, or `nil` if the incoming values aren't
    ///   known. The stored value counts then, as after an update.
    func wholeTimes(
        of entryID: EntryID,
        _ value: Value,
        _ change: WholeValueChange?,
        _ limits: TableLimits<Value>,
        _ writer: Writer
    ) -> StoredTimes? {
        guard let change, isWhole(value, writer) ?? true else { return nil }
        switch change {
        case .renewed: return nil
        case .lost: return .lost
        case .restored(let time):
            return StoredTimes(stored: time, staleFrom: limits.state.rules.wholeStaleTime(time))
        case .none:
            // A stale whole value remains stale.
            guard !staleness.includesAll, let prior = self[entryID].pointee.prior,
                let former = prior.pointee.value, !isStale(prior, limits)
            else { return .lost }
            if let known = wholeValues.withLock({ $0.times[value.id] }) { return known }
            guard isWhole(former, writer) ?? true else { return .lost }
            let record = prior.pointee.freshness
            let rules = limits.state.rules
            let staleFrom =
                rules.hasOwnStaleTimes ? record.staleFrom : rules.wholeStaleTime(record.stored)
            return StoredTimes(stored: record.stored, staleFrom: staleFrom)
        }
    }

    /// Records the times of an entity's latest whole value before the open transaction is
    /// published.
    func setWholeTimes(_ times: StoredTimes?, of entryID: EntryID, _ limits: TableLimits<Value>) {
        let id = self[entryID].pointee.id
        let isKnown = wholeValues.withLock { whole in
            if let times { whole.times[id] = times }
            return whole.times[id] != nil
        }
        guard let times else {
            if isKnown { incoming.renewed.append(id) }
            return
        }
        if times.staleFrom > limits.now {
            limits.state.bringDeadlineForward(of: entryID, to: times.staleFrom)
        }
    }

    // MARK: Limits

    /// Computes the times anew after the lifetimes of the type have changed.
    func renewWholeTimes(_ limits: TableLimits<Value>) {
        if !tracksWholeValues { return }
        let known = wholeValues.withLock { $0.times }
        for (id, times) in known where times.staleFrom > limits.now {
            guard let entryID = entryID(id: id, hash: hash(of: id)) else { continue }
            let staleFrom = limits.state.rules.wholeStaleTime(times.stored)
            let new = StoredTimes(stored: times.stored, staleFrom: staleFrom)
            setWholeTimes(new, of: entryID, limits)
        }
    }

    /// Returns the freshness record from which the next deadline of an entry follows.
    ///
    /// It's also due when its latest whole value becomes stale.
    func recordOfDeadlines(
        of entryID: EntryID,
        _ limits: TableLimits<Value>
    ) -> (record: FreshnessRecord, isWholeValueStale: Bool)? {
        guard var record = record(of: entryID, limits) else { return nil }
        if !tracksWholeValues { return (record, false) }
        let id = self[entryID].pointee.id
        guard let times = wholeValues.withLock({ $0.times[id] }) else { return (record, false) }
        if times.staleFrom <= limits.now { return (record, true) }
        record.staleFrom = min(record.staleFrom, times.staleFrom)
        return (record, false)
    }
}

extension LifetimeRules {
    var hasOwnStaleTimes: Bool {
        if case .atOwnTime = staleness { true } else { false }
    }

    /// Returns the time from which on a whole value is stale for loads.
    ///
    /// The own time of a value is only known while it's the stored one. Without it, the value is
    /// stale.
    func wholeStaleTime(_ stored: Time) -> Time {
        switch staleness {
        case .never: .max
        case .afterWrite(let lifetime), .afterAccess(let lifetime): stored.advanced(by: lifetime)
        case .atOwnTime: .min
        }
    }
}

extension CacheCore {
    /// Returns whether a load has to bring a whole value of an entity, even if the stored value is
    /// fresh.
    func isWholeValueStale<Value: Identifiable & Sendable>(
        of id: Value.ID,
        in table: Table<Value>,
        _ options: LoadOptions<Value>
    ) -> Bool where Value.ID: Sendable {
        options.countsFromWholeValue
            && table.isWholeValueStale(of: id) { policies.timeline.now }
    }

    /// Makes writes tell whole values from partial ones, without waiting for other writers.
    func setRequirement<Value: Identifiable & Sendable>(
        _ requirement: (@Sendable (Value) -> Bool)?,
        in table: Table<Value>?
    ) where Value.ID: Sendable {
        guard let table, table.traits.merge != nil else { return }
        if requirement == nil, !table.wholeValues.withLock(\.isTracked) { return }
        register(
            PendingRegistration(add: { [unowned self, unowned table] _ in
                table.setRequirement(requirement, in: writer)
            }),
            "setLoader(for:)"
        )
    }

    /// Notifies the loading handles of entities whose latest whole values have become stale.
    func notifyOfStaleWholeValues() {
        for key in writer.takeStaleWholeValues() {
            let loads = observedLoads.withLock { $0.loads(in: .entity(key)) }
            for load in loads { writer.addCompletion { load.recordStaleWholeValue() } }
        }
    }
}
