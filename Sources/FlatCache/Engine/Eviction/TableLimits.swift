/// The limit and the lifetimes of a table: the functions of its policy, and the state of its
/// entries.
///
/// The writers' lock guards everything. The marks that readers set, and the freshness records, are
/// stored beside the entries.
@usableFromInline
final class TableLimits<Value: Identifiable & Sendable> where Value.ID: Sendable {
    let timeline: any Timeline
    /// The wake time of the cache, to which the table offers the times of its expiries.
    let wakeTime: WakeTime
    /// The policy, which the writers' lock guards like the state.
    @exclusivity(unchecked) var policy: EvictionPolicy<Value>
    /// The function that returns the cost of a value, or `nil` if each value costs one.
    @usableFromInline let cost: (@Sendable (Value) -> Int)?
    /// The function that returns the time at which a value becomes stale, if each has a time of its
    /// own.
    @usableFromInline let staleTime: (@Sendable (Value) -> Time?)?
    /// The function that returns the time at which a value expires, if each has a time of its own.
    @usableFromInline let expirationTime: (@Sendable (Value) -> Time?)?
    @exclusivity(unchecked) @usableFromInline var state: EvictionState
    /// The number of values that commits have evicted because the limit was exceeded.
    @exclusivity(unchecked) var evictedCount = 0

    /// Creates the limits of a table without known entries.
    ///
    /// - Parameters:
    ///   - policy: The limit and the expiration.
    ///   - timeline: The clock of the cache.
    ///   - wakeTime: The wake time of the cache.
    ///   - isTimed: A Boolean value that indicates whether the freshness of the values is recorded
    ///     even if the policy doesn't ask for it.
    ///   - listsEntries: A Boolean value that indicates whether the state lists the entries.
    init(
        _ policy: EvictionPolicy<Value>,
        timeline: any Timeline,
        wakeTime: WakeTime,
        isTimed: Bool,
        listsEntries: Bool = true
    ) {
        self.timeline = timeline
        self.wakeTime = wakeTime
        self.policy = policy
        cost = policy.limit.cost
        policy.checkClock(timeline)
        staleTime = policy.staleTime(on: timeline)
        expirationTime = policy.expirationTime(on: timeline)
        let rules = policy.rules
        let isTimed = isTimed || rules.isTimed
        state = EvictionState(
            limit: policy.limit.limit,
            hasUniformCosts: cost == nil,
            rules: rules,
            isTimed: isTimed,
            listsEntries: listsEntries,
            at: timeline.now
        )
    }

    /// The time if values expire or become stale, and otherwise a constant.
    @usableFromInline var now: Time { state.isTimed ? timeline.now : .start }

    /// Begins to record the freshness of values that neither expire nor become stale by themselves.
    func beginToRecordTimes() { state.beginToRecordTimes() }

    /// Forgets all entries; returns the previous state, to be released after the locks.
    func forgetAll() -> AnyObject {
        let former = Released(state)
        state = state.emptied()
        return former
    }

    /// A Boolean value that indicates whether readers record their reads, because the order of
    /// eviction or the expiration depends on them.
    var recordsReads: Bool {
        if case .afterAccess = state.rules.expiration { return true }
        return state.limit != .max
    }
}
