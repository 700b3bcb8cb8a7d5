/// The policy of a table with limits or expiration, and its records of the entries.
///
/// The writers' lock guards everything except the marks in the block.
@usableFromInline
final class TableLimits<Value: Identifiable & Sendable> where Value.ID: Sendable {
    /// The rule by which values expire, with lifetimes in nanoseconds.
    enum Rule {
        case never
        case afterWrite(Int64)
        case afterAccess(Int64)
        case at(@Sendable (Value) -> Time?)
    }

    let timeline: any Timeline
    let wakeTime: WakeTime
    let expiration: CacheExpiration<Value>
    let rule: Rule
    @usableFromInline let cost: (@Sendable (Value) -> Int)?
    @exclusivity(unchecked) @usableFromInline var limit: Int
    @exclusivity(unchecked) @usableFromInline var ledger = RetentionLedger()
    @exclusivity(unchecked) @usableFromInline var block: EvictionMarkBlock
    /// The entries that the open transaction makes stale.
    @exclusivity(unchecked) var expiring: Set<EntryID> = []
    /// The length of a tick in nanoseconds, or `nil` if the time of a read makes no difference.
    ///
    /// A tick is the unit in which the table records the time of reads.
    @usableFromInline let tickLength: Int64?
    /// The number of the current tick, which reads record in the marks.
    @exclusivity(unchecked) private var tick = 0
    /// The time at which the next tick begins.
    @exclusivity(unchecked) @usableFromInline private(set) var nextTickTime: Time
    /// The times at which the latest ticks ended, indexed by the remainder of the tick's number.
    private var tickEnds: [Time]

    /// A Boolean value that indicates whether values expire or are stale, so that writes need the
    /// time.
    @usableFromInline let expires: Bool
    /// A Boolean value that indicates whether all values cost the same, so that replacing a value
    /// can't cause evictions.
    @usableFromInline let hasUniformCosts: Bool
    /// A Boolean value that indicates whether the marks determine the deadlines.
    ///
    /// A write that postpones a deadline then updates the marks only. The ledger learns the new
    /// deadline when the old one is reached.
    @usableFromInline let hasMarkedDeadlines: Bool

    init(
        _ policy: EvictionPolicy<Value>,
        timeline: any Timeline,
        wakeTime: WakeTime,
        capacity: Int,
        hasStale: Bool
    ) {
        self.timeline = timeline
        self.wakeTime = wakeTime
        expiration = policy.expiration
        limit = policy.limit.limit
        cost = policy.limit.cost
        hasUniformCosts = cost == nil
        switch policy.expiration.rule {
        case .never: rule = .never
        case .afterWrite(let lifetime): rule = .afterWrite(max(1, lifetime.nanoseconds))
        case .afterAccess(let time): rule = .afterAccess(max(1, time.nanoseconds))
        case .at(let date):
            policy.checkClock(timeline)
            rule = date.times(on: timeline).map(Rule.at) ?? .never
        }
        tickLength = Self.tickLength(rule)
        tickEnds =
            tickLength == nil ? [] : Array(repeating: .start, count: EvictionMarks.tickCount)
        nextTickTime = tickLength.map { timeline.now.advanced(by: $0) } ?? .max
        expires = policy.expires || hasStale
        hasMarkedDeadlines =
            switch rule {
            case .afterWrite, .afterAccess: true
            case .never, .at: false
            }
        block = EvictionMarkBlock(capacity: capacity, expires: expires)
    }

    @usableFromInline var now: Time { expires ? timeline.now : .start }

    /// A Boolean value that indicates whether any entry is stale.
    @usableFromInline var hasStale: Bool { !ledger.stale.isEmpty }

    /// Ends a transaction, which may have made values stale.
    @usableFromInline
    func endExpiring() {
        if !expiring.isEmpty { expiring = [] }
    }

    /// Returns the deadline of a value that is stored now, or `nil` if it doesn't expire.
    func deadline(of value: Value, storedAt now: Time) -> Time? {
        switch rule {
        case .never: nil
        case .afterWrite(let lifetime), .afterAccess(let lifetime): now.advanced(by: lifetime)
        case .at(let time): time(value)
        }
    }

    // MARK: Times of reads

    /// The number of ticks in the time after which an unused value expires.
    private static var ticksPerLifetime: Int64 { 16 }

    private static func tickLength(_ rule: Rule) -> Int64? {
        guard case .afterAccess(let time) = rule else { return nil }
        return max(1, time / ticksPerLifetime)
    }

    /// Begins a new tick if the current one is over, and returns the number of the new tick.
    ///
    /// A tick lasts until this call, however late it comes, so all reads recorded in the tick
    /// happened before its end.
    func beginTick(at now: Time) -> Int? {
        guard let tickLength, now >= nextTickTime else { return nil }
        tickEnds[tick % tickEnds.count] = now
        tick += 1
        nextTickTime = now.advanced(by: tickLength)
        return tick
    }

    /// Returns whether the current tick is over.
    @inlinable
    func mustBeginTick(at now: Time) -> Bool { now >= nextTickTime }

    /// Returns the deadline of an entry according to its marks, or `nil` if they don't determine
    /// it.
    ///
    /// The entry counts as read at the end of the marked tick. The time of its last write is exact.
    func deadline(by marks: EvictionMarks, of slot: Int, at now: Time) -> Time? {
        switch rule {
        case .never, .at: return nil
        case .afterWrite(let lifetime): return marks.since(of: slot)?.advanced(by: lifetime)
        case .afterAccess(let time):
            let marked = marks.tick(of: slot)
            let isCurrent = marked == tick % EvictionMarks.tickCount
            let read = isCurrent ? now : tickEnds[marked]
            return max(read, marks.since(of: slot) ?? read).advanced(by: time)
        }
    }
}
