/// What is kept of each type that a cache has been configured for.
struct RetentionPolicies: @unchecked Sendable {
    // Constant; the writers' lock guards the wake time, which a table only hands on.

    let policies: [ObjectIdentifier: any RetentionPolicyType]
    let timeline: any Timeline
    let wakeTime: WakeTime

    var isEmpty: Bool { policies.isEmpty }

    init(_ configuration: CacheConfiguration) {
        policies = configuration.policies
        timeline = configuration.clock.timeline
        wakeTime = WakeTime()
        for policy in policies.values { policy.checkClock(timeline) }
    }

    /// Gives a new table, which nobody uses yet, the limits of its type.
    func apply<Value: Identifiable & Sendable>(to table: Table<Value>) where Value.ID: Sendable {
        guard let policy = policies[table.typeIdentifier] as? RetentionPolicy<Value> else { return }
        table.beginRetaining(policy, timeline, wakeTime)
    }
}
