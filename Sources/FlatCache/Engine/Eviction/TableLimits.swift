/// The limit and the expiration of a table: the functions of its policy, the marks that readers
/// set, and the state of its entries.
///
/// The writers' lock guards everything except the marks in the block.
@usableFromInline
final class TableLimits<Value: Identifiable & Sendable> where Value.ID: Sendable {
    let timeline: any Timeline
    /// The wake time of the cache, to which the table offers the times of its expiries.
    let wakeTime: WakeTime
    let expiration: CacheExpiration<Value>
    /// The function that returns the cost of a value, or `nil` if each value costs one.
    @usableFromInline let cost: (@Sendable (Value) -> Int)?
    /// The function that returns the time at which a value expires, if each has a time of its own.
    @usableFromInline let expirationTime: (@Sendable (Value) -> Time?)?
    @exclusivity(unchecked) @usableFromInline var state: EvictionState
    @exclusivity(unchecked) @usableFromInline var block: EvictionMarkBlock

    /// Creates the limits of a table without known entries.
    ///
    /// - Parameters:
    ///   - policy: The limit and the expiration.
    ///   - timeline: The clock of the cache.
    ///   - wakeTime: The wake time of the cache.
    ///   - capacity: The number of slots of each stripe.
    ///   - hasStale: A Boolean value that indicates whether any entry is stale by an earlier
    ///     policy.
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
        cost = policy.limit.cost
        policy.checkClock(timeline)
        expirationTime = policy.expirationTime(on: timeline)
        let expires = policy.expires || hasStale
        state = EvictionState(
            limit: policy.limit.limit,
            hasUniformCosts: cost == nil,
            rule: policy.expirationRule,
            expires: expires,
            slotCount: Stripes.count * capacity,
            at: timeline.now
        )
        block = EvictionMarkBlock(capacity: capacity, expires: expires)
    }

    /// The time if values expire, and otherwise a constant.
    @usableFromInline var now: Time { state.expires ? timeline.now : .start }
}
