/// An event of any type in a box, which all observers accept.
@usableFromInline
package typealias AnyEvent = any AnyObject & Sendable

/// The entity that an observer observes, and the options of the observation.
package struct ObservedEntity: Sendable {
    let key: CacheKey
    let following: RelationshipDepth
    /// A Boolean value that indicates whether the observer receives the changed keys, which take
    /// time to find.
    let wantsCauses: Bool
}

/// An observer of events of one type, which only its creator knows.
package final class Observer: Sendable {
    /// The number of the observation, in the order in which a cache's observations were registered,
    /// or zero if the observer doesn't observe a cache.
    let registration: UInt64
    /// The observed entity, or `nil` if the observer doesn't observe a single entity.
    private let entity: ObservedEntity?
    /// The queue of an observation with a delivery of its own.
    let ownQueue: DeliveryQueue?
    /// The events that are held back until the initial event arrives, or `nil` if none are.
    private let held: Locked<[AnyEvent]?>?
    /// The closure to call.
    private let slot: ObserverSlot<AnyEvent>

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - entity: The observed entity, if there is a single one.
    ///   - registration: The number of the observation, if it is one of a cache.
    ///   - delivery: The delivery of the observation.
    ///   - holdsEvents: Whether events are held back until the initial event.
    ///   - body: The closure to call with each event. The observer must receive only events of its
    ///     type, in boxes of the type `EventBox`.
    package init<Event: Sendable>(
        of entity: ObservedEntity? = nil,
        registration: UInt64 = 0,
        delivery: CacheDelivery = .inline,
        holdsEvents: Bool = false,
        _ body: @escaping @Sendable (Event) -> Void
    ) {
        self.registration = registration
        self.entity = entity
        ownQueue = delivery.isInline ? nil : DeliveryQueue(delivery)
        held = holdsEvents ? Locked([]) : nil
        slot = ObserverSlot { unsafeDowncast($0, to: EventBox<Event>.self).send(to: body) }
    }

    /// The observed entity, which every observer in the watch graph has.
    private var observed: ObservedEntity {
        guard let entity else {
            preconditionFailure("An observer in the watch graph must observe an entity.")
        }
        return entity
    }

    var key: CacheKey { observed.key }
    var following: RelationshipDepth { observed.following }
    var wantsCauses: Bool { observed.wantsCauses }

    /// Calls the closure with an event, or adds the call to the observer's own queue.
    package func receive(_ event: AnyEvent) {
        guard let ownQueue else { return take(event) }
        ownQueue.deliver(through: ownQueue.append([.ownEvent(event, self)]))
    }

    /// Calls the closure with an event, or holds the event back.
    func take(_ event: AnyEvent) {
        if let held, held.withLock({ $0?.append(event) }) != nil { return }
        slot.call(event)
    }

    /// Calls the closure with the initial event, if there is one, and with the events held back.
    func receiveInitial(_ event: AnyEvent?) {
        make { [self] in
            if let event { slot.call(event) }
            for event in held?.withLock({ $0.take() }) ?? [] { slot.call(event) }
        }
    }

    /// Ends the observation after the due calls.
    func receiveEnd() { make(end) }

    /// Makes a call, or adds it to the observer's own queue.
    private func make(_ call: @escaping @Sendable () -> Void) {
        guard let ownQueue else { return call() }
        ownQueue.append([call])
        ownQueue.deliverCalls()
    }

    /// Ends the observation: no new call of the closure starts, and the closure is released.
    package func end() { slot.end() }
}
