extension CacheCore {
    /// Adds an observation of an entity, whose table the caller hands over: if it is new, it has
    /// been created in the client's module.
    @usableFromInline
    func observe<Value: Identifiable & Sendable>(
        _ id: Value.ID,
        in table: Table<Value>,
        initial: Bool,
        following: Following,
        wantsCauses: Bool,
        _ observer: @escaping @Sendable (Change<Value>) -> Void
    ) -> Disposable where Value.ID: Sendable {
        precondition(
            following.levelLimit >= 0,
            "An observation cannot follow \(following): give .levels a number of zero or more."
        )
        let subscription = exclusively(wantsCauses ? "observeChanges(…)" : "observe(…)") { writer in
            let subscription = Subscription<Value>(
                registration: writer.nextRegistration(),
                key: CacheKey(Value.self, id: id),
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
