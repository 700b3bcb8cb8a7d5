/// The eviction policies of all types that a cache's configuration names.
struct EvictionPolicies: @unchecked Sendable {
    // All properties are constant. The writers' lock guards the wake time, which this type only
    // passes on to tables.

    let policies: [ObjectIdentifier: any AnyEvictionPolicy]
    let timeline: any Timeline
    let wakeTime: WakeTime

    var isEmpty: Bool { policies.isEmpty }

    init(_ configuration: CacheConfiguration) {
        policies = configuration.policies
        timeline = configuration.clock.timeline
        wakeTime = WakeTime()
        for policy in policies.values { policy.checkClock(timeline) }
    }

    /// Applies the policy of its type to a new table that isn't in use yet.
    func apply<Value: Identifiable & Sendable>(to table: Table<Value>) where Value.ID: Sendable {
        guard let policy = policies[table.typeIdentifier] as? EvictionPolicy<Value> else { return }
        table.beginLimiting(policy, timeline, wakeTime)
    }
}
