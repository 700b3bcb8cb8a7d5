extension CacheCore {
    func observe<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        initial: Bool,
        following: Following,
        wantsCauses: Bool,
        _ observer: @escaping Subscription<Value>.Observer
    ) -> Disposable where Value.ID: Sendable {
        precondition(
            following.levelLimit >= 0,
            "An observation cannot follow \(following): give .levels a number of zero or more."
        )
        let table = tables.table(of: type)
        let subscription = exclusively(wantsCauses ? "observeChanges(…)" : "observe(…)") { writer in
            let subscription = Subscription<Value>(
                registration: writer.nextRegistration(),
                key: CacheKey(type, id: id),
                following: following,
                wantsCauses: wantsCauses,
                observer: observer
            )
            guard !isClosed else { return subscription }
            addToWatchGraph(subscription)
            if initial, let value = table.value(id: id, hash: Table<Value>.hash(of: id), at: nil) {
                let change = Change<Value>(
                    id: id,
                    kind: .inserted,
                    old: nil,
                    new: value,
                    causes: [subscription.key],
                    version: writer.committedVersion
                )
                outbox.withLock { $0.append([.change(ChangeBox(change), subscription)]) }
            }
            return subscription
        }
        // Its cache has gone, so nobody would end it.
        if isClosed { subscription.end() }
        return Disposable(stopping: subscription.end) { [self] in
            leaveErrand { $0.endedSubscriptions.append(subscription) }
        }
    }
}
