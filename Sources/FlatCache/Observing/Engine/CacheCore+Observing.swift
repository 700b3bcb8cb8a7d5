import Synchronization

extension CacheCore {
    /// The condition under which an observer is called with the present value when its observation
    /// begins.
    @usableFromInline
    enum InitialCall: Sendable {
        case never
        case ifPresent
        /// Also without a value: the change is then a removal without an old value.
        case always

        @inlinable
        init(_ initial: Bool) { self = initial ? .ifPresent : .never }
    }

    /// Adds an observation of an entity.
    ///
    /// The caller passes the entity's table, so that a new table is created in the client's module.
    /// The core calls `begin` under the writers' lock, with the version from which the observation
    /// counts.
    @usableFromInline
    func observe<Value: Identifiable & Sendable>(
        _ id: Value.ID,
        in table: Table<Value>,
        initial: InitialCall,
        following: RelationshipDepth,
        wantsCauses: Bool,
        delivery: CacheDelivery,
        begin: @escaping @Sendable (_ version: UInt64) -> Void = { _ in },
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
        let registration = PendingRegistration(
            of: observer,
            initial: { version in
                Self.initialChange(initial, id: id, in: table, at: version).map {
                    .event(EventBox($0), observer)
                }
            },
            add: { [unowned self] version in
                begin(version)
                addToWatchGraph(observer)
            }
        )
        register(registration, wantsCauses ? "observeChanges(…)" : "observe(…)")
        return token(for: registration, of: observer) { $0.graph.remove(observer) }
    }

    /// Returns the change for an observer's initial call, or `nil` if the observer isn't called.
    private static func initialChange<Value: Identifiable & Sendable>(
        _ initial: InitialCall,
        id: Value.ID,
        in table: Table<Value>,
        at version: UInt64
    ) -> EntityChange<Value>? where Value.ID: Sendable {
        if initial == .never { return nil }
        let hash = table.hash(of: id)
        let value = table.value(id: id, hash: hash, at: version)
        if initial == .ifPresent, value == nil { return nil }
        return EntityChange(
            id: id,
            kind: value == nil ? .removed(.explicit) : .inserted,
            old: nil,
            new: value,
            version: version
        )
    }

    // MARK: Registering

    /// Stores the queue of an observer with its own delivery.
    func rememberOwnQueue(of observer: Observer) {
        guard let queue = observer.ownQueue else { return }
        ownQueues.withLock { $0[observer.registration] = queue }
    }

    private func forgetOwnQueue(of observer: Observer) {
        guard observer.ownQueue != nil else { return }
        // Releasing the queue's delivery may run user code, so it is released after the lock.
        let queue = ownQueues.withLock { $0.removeValue(forKey: observer.registration) }
        withExtendedLifetime(queue) {}
    }

    func nextRegistration() -> UInt64 {
        registrationCount.add(1, ordering: .relaxed).newValue
    }

    /// Adds an observation or a pin without waiting for another thread's write.
    ///
    /// If another thread is writing, that thread adds it.
    ///
    /// - Parameters:
    ///   - registration: The observation or the pin.
    ///   - operation: The name of the public method, for messages.
    ///   - opensSnapshot: If `true`, opens a snapshot of the version from which the registration
    ///     counts. The caller closes it.
    /// - Returns: The version from which the registration counts.
    @discardableResult
    func register(
        _ registration: PendingRegistration,
        _ operation: StaticString,
        opensSnapshot: Bool = false
    ) -> UInt64 {
        let isWriting = writerLock.isHeldByCurrentThread
        if isWriting {
            writer.checkNotInUserCode(operation)
        } else {
            queryThreads.checkNotInQuery(operation)
        }
        if isWriting || writerLock.acquireIfFree() {
            registration.version =
                opensSnapshot ? clock.openSnapshot() : writer.committedVersion
            writer.mustDeliver(through: add(registration))
            if !isWriting { releaseWriterLock() }
            return registration.version
        }
        registration.isWaiting = true
        // A commit that adds the registration closes its snapshot, perhaps before the initial
        // notification has been read.
        let version = clock.enqueue(registration)
        let ticket = enqueueInitialNotification(of: registration)
        if !opensSnapshot { clock.closeSnapshot(version) }
        // The lock's holder may have released it without having seen the registration.
        doDeferredWorkIfIdle()
        if let ticket { deliveryQueue.deliver(through: ticket) }
        return version
    }

    /// Adds the waiting registrations, under the writers' lock.
    ///
    /// - Returns: The numbers of the registrations that count from an older version than the
    ///   committed one. The commit that has just been published must notify them.
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
        writerLock.noteDeferredWork()
        return late
    }

    /// Adds an observation or a pin; returns the ticket of the observer's initial notification.
    private func add(_ registration: PendingRegistration) -> DeliveryTicket? {
        // If the cache has been deallocated, the registration ends at once.
        deferClosingIfClosed()
        registration.add(registration.version)
        return enqueueInitialNotification(of: registration)
    }

    private func enqueueInitialNotification(of registration: PendingRegistration) -> DeliveryTicket?
    {
        let notification =
            isClosed ? nil : registration.initialNotification(registration.version)
        return deliveryQueue.append(notification, initialOf: registration)
    }

    /// Returns the token that ends an observation or a pin.
    ///
    /// - Parameters:
    ///   - registration: The registration. If it hasn't been added yet, the token cancels it.
    ///   - observer: The observer, if there is one.
    ///   - remove: A closure that undoes the registration, under the writers' lock.
    func token(
        for registration: PendingRegistration,
        of observer: Observer? = nil,
        remove: @escaping @Sendable (Writer) -> Void
    ) -> Disposable {
        // Only a waiting registration can be cancelled, so the token retains no other.
        let registration = registration.isWaiting ? registration : nil
        let end = { @Sendable [self] in
            if let observer {
                observerCount.subtract(1, ordering: .relaxed)
                forgetOwnQueue(of: observer)
            }
            if let registration, clock.cancel(registration) { return doDeferredWorkIfIdle() }
            deferWork { deferredWork in
                deferredWork.ended.append { writer in
                    remove(writer)
                    // Releasing the observer may run user code through its delivery, so it is
                    // released after the lock.
                    if let observer { writer.releaseLater(observer) }
                }
            }
        }
        guard let observer else { return Disposable(end) }
        observerCount.add(1, ordering: .relaxed)
        return Disposable(stopping: observer.end, end)
    }
}
