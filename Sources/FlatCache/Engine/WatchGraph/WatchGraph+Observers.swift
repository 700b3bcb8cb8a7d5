extension WatchGraph {
    /// Adds an observation.
    ///
    /// The caller must then set the reach of a bounded observation.
    mutating func add(_ observer: Observer) {
        if observer.following == .allRelationships {
            let id = ensureNode(of: observer.key)
            self[id].observers.insert(observer, for: observer.registration)
            markObserved(id)
            reach(id)
        } else {
            bounded[observer.registration] = (observer, [])
        }
    }

    /// Removes an observation, if it is there.
    mutating func remove(_ observer: Observer) {
        if observer.following == .allRelationships {
            guard let id = node(of: observer.key) else { return }
            self[id].observers.remove(observer.registration)
            guard self[id].observers.isEmpty else { return }
            markObserved(id)
            suspects.append(id)
        } else {
            setReach([], of: observer)
            bounded[observer.registration] = nil
        }
    }

    /// Sets the keys that a bounded observation reaches, with their levels.
    ///
    /// - Complexity: O(*n*) in the number of nodes reached before and after.
    mutating func setReach(
        _ reach: [(key: CacheKey, level: Int)],
        of observer: Observer
    ) {
        let registration = observer.registration
        let previous = bounded[registration]?.reach ?? []
        for id in previous { self[id].boundedObservers.remove(registration) }
        let current = reach.map { key, level in
            let id = ensureNode(of: key)
            let observer = BoundedObserver(observer: observer, level: level)
            self[id].boundedObservers.insert(observer, for: registration)
            return id
        }
        bounded[registration] = (observer, current)
        for id in previous { freeIfUnused(id) }
        forgetFreed()
    }

    /// Returns the bounded observations that follow the relationships of given nodes, in the order
    /// of their registration.
    func boundedEntityObservers(reachingThrough changed: [WatchNodeID]) -> [Observer] {
        guard !bounded.isEmpty else { return [] }
        var found: [UInt64: Observer] = [:]
        for id in changed {
            self[id].boundedObservers.forEach { observer in
                guard observer.reachesFurther else { return }
                found[observer.observer.registration] = observer.observer
            }
        }
        return found.values.sorted { $0.registration < $1.registration }
    }

    /// All observations, in the order of their registration.
    var allEntityObservers: [Observer] {
        var observers = bounded.values.map(\.observer)
        for id in allNodes { self[id].observers.forEach { observers.append($0) } }
        return observers.sorted { $0.registration < $1.registration }
    }
}
