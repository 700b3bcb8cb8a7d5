extension WatchGraph {
    /// Adds an observation.
    ///
    /// One of limited reach must then be told what it reaches.
    mutating func add(_ subscription: AnySubscription) {
        if subscription.following == .allRelationships {
            let id = ensureNode(of: subscription.key)
            self[id].observers.insert(subscription, for: subscription.registration)
            noteObserved(id)
            reach(id)
        } else {
            bounded[subscription.registration] = (subscription, [])
        }
    }

    /// Removes an observation, if it is there.
    mutating func remove(_ subscription: AnySubscription) {
        if subscription.following == .allRelationships {
            guard let id = node(of: subscription.key) else { return }
            self[id].observers.remove(subscription.registration)
            guard self[id].observers.isEmpty else { return }
            noteObserved(id)
            suspects.append(id)
        } else {
            setReach([], of: subscription)
            bounded[subscription.registration] = nil
        }
    }

    /// Sets what an observation of limited reach reaches, and at which level.
    ///
    /// - Complexity: O(*n*) in the number of nodes reached before and after.
    mutating func setReach(
        _ reach: [(key: CacheKey, level: Int)],
        of subscription: AnySubscription
    ) {
        let registration = subscription.registration
        let previous = bounded[registration]?.reach ?? []
        for id in previous { self[id].boundedObservers.remove(registration) }
        let current = reach.map { key, level in
            let id = ensureNode(of: key)
            let observer = BoundedObserver(subscription: subscription, level: level)
            self[id].boundedObservers.insert(observer, for: registration)
            return id
        }
        bounded[registration] = (subscription, current)
        for id in previous { freeIfUnused(id) }
    }

    /// The observations of limited reach whose reach may have changed with these nodes, in their
    /// order.
    func boundedSubscriptions(reachingThrough changed: [WatchNodeID]) -> [AnySubscription] {
        guard !bounded.isEmpty else { return [] }
        var found: [UInt64: AnySubscription] = [:]
        for id in changed {
            self[id].boundedObservers.forEach { observer in
                guard observer.reachesFurther else { return }
                found[observer.subscription.registration] = observer.subscription
            }
        }
        return found.values.sorted { $0.registration < $1.registration }
    }

    /// All observations, in their order.
    var allSubscriptions: [AnySubscription] {
        var subscriptions = bounded.values.map(\.subscription)
        for id in allNodes { self[id].observers.forEach { subscriptions.append($0) } }
        return subscriptions.sorted { $0.registration < $1.registration }
    }
}
