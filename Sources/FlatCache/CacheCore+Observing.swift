extension CacheCore {
    /// Whether an observer is called with what is there when its observation begins.
    @usableFromInline
    enum InitialCall: Sendable {
        case never
        case ifPresent
        /// Also if there is no value: with a removal of nothing.
        case always

        @inlinable
        init(_ initial: Bool) { self = initial ? .ifPresent : .never }
    }

    /// Adds an observation of an entity, whose table the caller hands over: if it is new, it has
    /// been created in the client's module.
    @usableFromInline
    func observe<Value: Identifiable & Sendable>(
        _ id: Value.ID,
        in table: Table<Value>,
        initial: InitialCall,
        following: Following,
        wantsCauses: Bool,
        delivery: Delivery,
        _ observer: @escaping @Sendable (Change<Value>) -> Void
    ) -> Disposable where Value.ID: Sendable {
        precondition(
            following.levelLimit >= 0,
            "An observation cannot follow \(following): give .levels a number of zero or more."
        )
        return observe(wantsCauses ? "observeChanges(…)" : "observe(…)") { registration, writer in
            let subscription = Subscription<Value>(
                registration: registration,
                key: CacheKey(Value.self, id: id),
                following: following,
                wantsCauses: wantsCauses,
                delivery: delivery,
                observer: observer
            )
            guard !isClosed else { return subscription }
            addToWatchGraph(subscription)
            if let change = initialChange(initial, id: id, in: table) {
                line.append([.event(EventBox(change), subscription)])
            }
            return subscription
        }
    }

    /// What an observer is called with when its observation begins, if with anything.
    private func initialChange<Value: Identifiable & Sendable>(
        _ initial: InitialCall,
        id: Value.ID,
        in table: Table<Value>
    ) -> Change<Value>? where Value.ID: Sendable {
        if initial == .never { return nil }
        let value = table.value(id: id, hash: Table<Value>.hash(of: id), at: nil, allowStale: true)
        if initial == .ifPresent, value == nil { return nil }
        return Change(
            id: id,
            kind: value == nil ? .removed(.explicit) : .inserted,
            old: nil,
            new: value,
            version: writer.committedVersion
        )
    }

    /// Adds an observation of all entities of a table.
    @usableFromInline
    func observeAll<Value: Identifiable & Sendable>(
        of table: Table<Value>,
        delivery: Delivery,
        _ observer: @escaping @Sendable (TypeChanges<Value>) -> Void
    ) -> Disposable where Value.ID: Sendable {
        observe("observeAll(_:delivery:_:)") { registration, _ in
            let subscription = TypeSubscription(
                registration: registration,
                table: table,
                delivery: delivery,
                observer: observer
            )
            if !isClosed { table.typeObservers.insert(subscription, for: registration) }
            return subscription
        }
    }

    /// Adds an observation under the writers' lock, and delivers what is due.
    func observe(
        _ operation: StaticString,
        _ add: (_ registration: UInt64, Writer) -> AnyRecipient
    ) -> Disposable {
        let recipient = exclusively(operation) { writer in
            let recipient = add(writer.nextRegistration(), writer)
            let refreshes = refreshEvent(for: writer.takeStaleWatched())
            if !refreshes.isEmpty { line.append(refreshes) }
            return recipient
        }
        // Its cache has gone, so nobody would end it.
        if isClosed { recipient.end() }
        return Disposable(stopping: recipient.end) { [self] in
            leaveErrand { $0.ended.append(recipient) }
        }
    }
}
