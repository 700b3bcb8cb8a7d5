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
    /// The policy, guarded by the writers' lock like the state.
    @exclusivity(unchecked) var policy: EvictionPolicy<Value>
    /// The function that returns the cost of a value, or `nil` if each value costs one.
    @usableFromInline let cost: (@Sendable (Value) -> Int)?
    /// The function that returns the time at which a value becomes stale, if each has its own time.
    @usableFromInline let staleTime: (@Sendable (Value) -> Time?)?
    /// The function that returns the time at which a value expires, if each has its own time.
    @usableFromInline let expirationTime: (@Sendable (Value) -> Time?)?
    @exclusivity(unchecked) @usableFromInline var state: EvictionState

    /// Creates the limits of a table without known entries.
    ///
    /// - Parameters:
    ///   - isTimed: `true` if the freshness of the values is recorded even if the policy doesn't
    ///     ask for it.
    ///   - listsEntries: `true` if the state lists the entries.
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
        staleTime = policy.staleness.rule.times(on: timeline)
        expirationTime = policy.expiration.rule.times(on: timeline)
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

    /// `true` if readers record their reads, because the order of eviction or the expiration
    /// depends on them.
    var recordsReads: Bool {
        if case .afterAccess = state.rules.expiration { return true }
        return state.limit != .max
    }
}

/// The intervals, called ticks, by which a table records the times of reads.
///
/// A tick lasts until the table begins the next one, possibly late. All reads in a tick therefore
/// happened before its end. A plain value without locks or callbacks.
@usableFromInline
struct ReadTicks {
    /// The minimum length of a tick in nanoseconds, or `nil` if the times of reads make no
    /// difference.
    private let length: Int64?
    /// The number of the current tick.
    private var current = 0
    /// The time at which the current tick is over.
    @usableFromInline private(set) var nextTime: Time
    /// The times at which the latest ticks ended, by their marks.
    private var ends: [Time]

    /// The number of ticks in the time after which an unused value expires.
    private static var countPerLifetime: Int64 { 16 }

    init(of rule: Lifetime, at now: @autoclosure () -> Time) {
        if case .afterAccess(let lifetime) = rule {
            let length = max(1, lifetime / Self.countPerLifetime)
            self.length = length
            nextTime = now().advanced(by: length)
            ends = Array(repeating: .start, count: EvictionMarks.tickCount)
        } else {
            length = nil
            nextTime = .max
            ends = []
        }
    }

    /// Begins a new tick if the current one is over, and returns the number of the new tick.
    mutating func begin(at now: Time) -> Int? {
        guard let length, now >= nextTime else { return nil }
        ends[current % ends.count] = now
        current += 1
        nextTime = now.advanced(by: length)
        return current
    }

    /// Returns the latest time at which an entry with a mark can have been read.
    ///
    /// A mark is the number of a tick modulo `ends.count`. For example, with 64 marks, mark 3
    /// stands for the ticks 3, 67 and 131. The method returns the end of the latest of them.
    ///
    /// - Parameter now: The present time. It's the result for the current tick.
    func latestTime(ofMarked tick: Int, at now: Time) -> Time {
        tick == current % ends.count ? now : ends[tick]
    }
}
