/// What keeps a table within its limits: its policy, and what it knows of the entries.
///
/// Guarded by the writers' lock, but for what the block says.
@usableFromInline
final class Retainer<Value: Identifiable & Sendable> where Value.ID: Sendable {
    /// When values expire, in the times of the cache's clock.
    enum Rule {
        case never
        case afterWrite(Time)
        case afterAccess(Time)
        case at(@Sendable (Value) -> Time?)
    }

    let timeline: any Timeline
    let wakeTime: WakeTime
    let expiration: CacheExpiration<Value>
    let rule: Rule
    @usableFromInline let cost: (@Sendable (Value) -> Int)?
    @exclusivity(unchecked) @usableFromInline var limit: Int
    @exclusivity(unchecked) @usableFromInline var ledger = RetentionLedger()
    @exclusivity(unchecked) @usableFromInline var block: RetentionBlock
    /// The entries that the open transaction makes stale.
    @exclusivity(unchecked) var expiring: Set<EntryID> = []
    /// How long a stretch of time is; `nil` if it makes no difference when an entry was read.
    @usableFromInline let tickLength: Time?
    /// The number of the current stretch of time, by which it is known when an entry was read.
    @exclusivity(unchecked) private var tick = 0
    /// When the next one is to begin.
    @exclusivity(unchecked) @usableFromInline private(set) var nextTickTime: Time
    /// When the latest ones ended, by the remainder of their number.
    private var tickEnds: [Time]

    /// Whether values expire, so that each write is a matter of time.
    @usableFromInline let expires: Bool
    /// Whether a write leaves the costs as they are, so that it cannot make others go.
    @usableFromInline let hasUniformCosts: Bool
    /// Whether the marks tell when an entry expires, so that a write which puts that off notes it there
    /// only, and the ledger learns of it when the earlier time has come.
    @usableFromInline let hasMarkedDeadlines: Bool

    init(
        _ policy: RetentionPolicy<Value>,
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
        tickEnds = tickLength == nil ? [] : Array(repeating: 0, count: RetentionMarks.tickCount)
        nextTickTime = tickLength.map { timeline.now.advanced(by: $0) } ?? .max
        expires = policy.expires || hasStale
        hasMarkedDeadlines =
            switch rule {
            case .afterWrite, .afterAccess: true
            case .never, .at: false
            }
        block = RetentionBlock(capacity: capacity, expires: expires)
    }

    @usableFromInline var now: Time { expires ? timeline.now : 0 }

    /// Whether any entry is stale.
    @usableFromInline var hasStale: Bool { !ledger.stale.isEmpty }

    /// Ends a transaction, which has made values stale or not.
    @usableFromInline
    func endExpiring() {
        if !expiring.isEmpty { expiring = [] }
    }

    /// When a value that is stored now expires; `nil` if it does not.
    func deadline(of value: Value, storedAt now: Time) -> Time? {
        switch rule {
        case .never: nil
        case .afterWrite(let lifetime), .afterAccess(let lifetime): now.advanced(by: lifetime)
        case .at(let time): time(value)
        }
    }

    // MARK: When entries were read

    /// How many stretches the time after which an unused value expires is divided into.
    private static var ticksPerLifetime: Time { 16 }

    private static func tickLength(_ rule: Rule) -> Time? {
        guard case .afterAccess(let time) = rule else { return nil }
        return max(1, time / ticksPerLifetime)
    }

    /// Notes the time; returns the number of the stretch if another one has begun.
    ///
    /// A stretch lasts until that is noted, however late, so that what has been read in it was read before
    /// its end.
    func beginTick(at now: Time) -> Int? {
        guard let tickLength, now >= nextTickTime else { return nil }
        tickEnds[tick % tickEnds.count] = now
        tick += 1
        nextTickTime = now.advanced(by: tickLength)
        return tick
    }

    /// Whether it is time for another stretch of time.
    @inlinable
    func mustBeginTick(at now: Time) -> Bool { now >= nextTickTime }

    /// When an entry expires by what its marks say; `nil` if they don't.
    ///
    /// It may have been read at the end of the stretch that is marked. When it was stored is known.
    func deadline(by marks: RetentionMarks, of slot: Int, at now: Time) -> Time? {
        switch rule {
        case .never, .at: return nil
        case .afterWrite(let lifetime): return marks.since(of: slot)?.advanced(by: lifetime)
        case .afterAccess(let time):
            let marked = marks.tick(of: slot)
            let isCurrent = marked == tick % RetentionMarks.tickCount
            let read = isCurrent ? now : tickEnds[marked]
            return max(read, marks.since(of: slot) ?? read).advanced(by: time)
        }
    }
}

extension Time {
    /// The time some nanoseconds later, or the last one there is.
    func advanced(by nanoseconds: Int64) -> Time {
        let (sum, overflows) = addingReportingOverflow(nanoseconds)
        return overflows ? .max : sum
    }
}
