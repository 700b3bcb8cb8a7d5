import Synchronization

extension CacheCore {
    /// Whether an observer is called with the present value when its observation begins.
    @usableFromInline
    enum InitialCall: Sendable {
        case never
        case ifPresent
        /// Also if there is no value: with a removal of no value.
        case always

        @inlinable
        init(_ initial: Bool) { self = initial ? .ifPresent : .never }
    }

    /// Adds an observation of an entity.
    ///
    /// The caller hands over the entity's table: if it is new, it has been created in the client's
    /// module.
    @usableFromInline
    func observe<Value: Identifiable & Sendable>(
        _ id: Value.ID,
        in table: Table<Value>,
        initial: InitialCall,
        following: RelationshipDepth,
        wantsCauses: Bool,
        delivery: CacheDelivery,
        _ body: @escaping @Sendable (EntityChange<Value>) -> Void
    ) -> Disposable where Value.ID: Sendable {
        precondition(
            following.levelLimit >= 0,
            "An observation cannot follow \(following): give .levels a number of zero or more."
        )
        let entity = ObservedEntity(
            key: CacheKey(Value.self, id: id),
            following: following,
            wantsCauses: wantsCauses
        )
        let observer = Observer(
            of: entity,
            registration: nextRegistration(),
            delivery: delivery,
            body
        )
        rememberOwnQueue(of: observer)
        let registration = Registration(
            of: observer,
            initial: { version in
                Self.initialChange(initial, id: id, in: table, at: version).map {
                    .event(EventBox($0), observer)
                }
            },
            add: { [unowned self] in addToWatchGraph(observer) }
        )
        register(registration, wantsCauses ? "observeChanges(…)" : "observe(…)")
        return token(for: registration, of: observer) { $0.graph.remove(observer) }
    }

    /// The change with which an observer is called at first, if it is.
    private static func initialChange<Value: Identifiable & Sendable>(
        _ initial: InitialCall,
        id: Value.ID,
        in table: Table<Value>,
        at version: UInt64
    ) -> EntityChange<Value>? where Value.ID: Sendable {
        if initial == .never { return nil }
        let hash = Table<Value>.hash(of: id)
        let value = table.value(id: id, hash: hash, at: version, allowStale: true)
        if initial == .ifPresent, value == nil { return nil }
        return EntityChange(
            id: id,
            kind: value == nil ? .removed(.explicit) : .inserted,
            old: nil,
            new: value,
            version: version
        )
    }

    /// Adds an observation of all entities of a table.
    @usableFromInline
    func observeAll<Value: Identifiable & Sendable>(
        of table: Table<Value>,
        initial: Bool,
        delivery: CacheDelivery,
        _ body: @escaping @Sendable (TypeChanges<Value>) -> Void
    ) -> Disposable where Value.ID: Sendable {
        let observer = Observer(
            registration: nextRegistration(),
            delivery: delivery,
            holdsEvents: initial,
            body
        )
        rememberOwnQueue(of: observer)
        let number = observer.registration
        let registration = Registration(
            of: observer,
            add: { [unowned table] in table.typeObservers.insert(observer, for: number) }
        )
        let version = register(registration, "observeAll(…)", opensSnapshot: initial)
        if initial { enqueueAll(of: table, at: version, for: observer) }
        return token(for: registration, of: observer) { [unowned table] _ in
            table.typeObservers.remove(number)
        }
    }

    /// Notifies an observer of all entities of a table as of a version, whose snapshot this closes.
    private func enqueueAll<Value: Identifiable & Sendable>(
        of table: Table<Value>,
        at version: UInt64,
        for observer: AnyObserver
    ) where Value.ID: Sendable {
        var changes: [EntityChange<Value>] = []
        table.forEachValue(at: version) { id, value in
            changes.append(
                EntityChange(id: id, kind: .inserted, old: nil, new: value, version: version)
            )
        }
        closeSnapshot(version)
        let event = changes.isEmpty ? nil : EventBox(TypeChanges(changes, version: version))
        let ticket = deliveryQueue.append([.initialEvent(event, observer)])
        if writerLock.isHeldByCurrentThread {
            writer.mustDeliver(through: ticket)
        } else {
            deliveryQueue.deliver(through: ticket)
        }
    }

    // MARK: Registering

    /// Notes the queue of an observer with a delivery of its own.
    private func rememberOwnQueue(of observer: AnyObserver) {
        guard let queue = observer.ownQueue else { return }
        ownQueues.withLock { $0[observer.registration] = queue }
    }

    private func forgetOwnQueue(of observer: AnyObserver) {
        guard observer.ownQueue != nil else { return }
        // What its delivery holds may run code of a user's when it goes, so not under the lock.
        let queue = ownQueues.withLock { $0.removeValue(forKey: observer.registration) }
        withExtendedLifetime(queue) {}
    }

    func nextRegistration() -> UInt64 {
        registrationCount.add(1, ordering: .relaxed).newValue
    }

    /// Adds an observation or a pin without waiting for another thread's write: at once if no other
    /// thread writes, else by the thread that does.
    ///
    /// - Parameters:
    ///   - registration: The observation or the pin.
    ///   - operation: The name of the public method, for messages.
    ///   - opensSnapshot: Whether a snapshot of the version from which it counts is opened, which the
    ///     caller closes.
    /// - Returns: The version from which it counts.
    @discardableResult
    func register(
        _ registration: Registration,
        _ operation: StaticString,
        opensSnapshot: Bool = false
    ) -> UInt64 {
        let isWriting = writerLock.isHeldByCurrentThread
        if isWriting { writer.checkNotInUserCode(operation) }
        if isWriting || writerLock.acquireIfFree() {
            registration.version =
                opensSnapshot ? clock.openSnapshot() : writer.committedVersion
            writer.mustDeliver(through: add(registration))
            if !isWriting { releaseWriterLock() }
            return registration.version
        }
        registration.isWaiting = true
        clock.enqueue(registration, opensAnother: opensSnapshot)
        let ticket = enqueueInitialNotification(of: registration)
        // The lock may have become free before its holder has seen the registration.
        runErrandsIfIdle()
        if let ticket { deliveryQueue.deliver(through: ticket) }
        return registration.version
    }

    /// Adds the registrations that wait, under the writers' lock.
    ///
    /// - Returns: The numbers of those that count from an older version than the committed one, so that
    ///   the commit that has just been published notifies them.
    @discardableResult
    func addWaitingRegistrations() -> Set<UInt64> {
        guard clock.hasRegistrations else { return [] }
        var late: Set<UInt64> = []
        let registrations = clock.takeRegistrations()
        for registration in registrations {
            // The thread that registers delivers the initial notification.
            _ = add(registration)
            if registration.version < writer.committedVersion, let number = registration.number {
                late.insert(number)
            }
        }
        clock.closeSnapshots(of: registrations)
        return late
    }

    /// Adds an observation or a pin; returns the ticket of the observer's initial notification.
    private func add(_ registration: Registration) -> DeliveryTicket? {
        // What is added to a cache that no longer exists ends at once.
        noteIfClosed()
        registration.add()
        let ticket = enqueueInitialNotification(of: registration)
        let refreshes = refreshEvent(for: writer.takeStaleWatched())
        if !refreshes.isEmpty { writer.mustDeliver(through: deliveryQueue.append(refreshes)) }
        return ticket
    }

    private func enqueueInitialNotification(of registration: Registration) -> DeliveryTicket? {
        let notification =
            isClosed ? nil : registration.initialNotification(registration.version)
        return deliveryQueue.append(notification, initialOf: registration)
    }

    /// The token that ends an observation or a pin.
    ///
    /// - Parameters:
    ///   - registration: The registration; if it hasn't been added yet, it ends at once.
    ///   - observer: The observer, if there is one.
    ///   - remove: Undoes the registration, under the writers' lock.
    func token(
        for registration: Registration,
        of observer: AnyObserver? = nil,
        remove: @escaping @Sendable (Writer) -> Void
    ) -> Disposable {
        // One that has been added needs no memory any more.
        let registration = registration.isWaiting ? registration : nil
        let end = { @Sendable [self] in
            if let observer { forgetOwnQueue(of: observer) }
            if let registration, clock.cancel(registration) { return runErrandsIfIdle() }
            leaveErrand { errands in
                errands.ended.append { writer in
                    remove(writer)
                    // With it may go what its delivery holds, and so run code of a user's.
                    if let observer { writer.releaseLater(observer) }
                }
            }
        }
        guard let observer else { return Disposable(end) }
        return Disposable(stopping: observer.end, end)
    }
}
