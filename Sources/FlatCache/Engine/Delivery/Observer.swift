/// An event in a box, which all observers accept whatever the event's type.
typealias AnyEvent = any AnyObject & Sendable

/// The entity that an observer observes, and the options of the observation.
struct ObservedEntity: Sendable {
    let key: CacheKey
    let following: RelationshipDepth
    /// A Boolean value that indicates whether the observer receives the changed keys, which take
    /// time to find.
    let wantsCauses: Bool
}

/// An observer of events of any type, as commits and the delivery queue use it.
class AnyObserver: @unchecked Sendable {
    // All properties, including the subclass's, are constant or thread-safe.

    /// The number of the observation, in the order in which a cache's observations were registered.
    final let registration: UInt64
    /// The observed entity, or `nil` if the observer doesn't observe a single entity.
    private final let entity: ObservedEntity?
    /// The queue of an observation with a delivery of its own.
    final let ownQueue: DeliveryQueue?
    /// The events that are held back until the initial event arrives, or `nil` if none are.
    private final let held: Locked<[AnyEvent]?>?

    fileprivate init(
        registration: UInt64,
        entity: ObservedEntity?,
        delivery: CacheDelivery,
        holdsEvents: Bool
    ) {
        self.registration = registration
        self.entity = entity
        ownQueue = delivery.runLater == nil ? nil : DeliveryQueue(delivery)
        held = holdsEvents ? Locked([]) : nil
    }

    /// The observed entity, which every observer in the watch graph has.
    private final var observed: ObservedEntity {
        guard let entity else {
            preconditionFailure("An observer in the watch graph must observe an entity.")
        }
        return entity
    }

    final var key: CacheKey { observed.key }
    final var following: RelationshipDepth { observed.following }
    final var wantsCauses: Bool { observed.wantsCauses }

    /// Calls the observer with an event, or adds the call to the observer's own queue.
    final func receive(_ event: AnyEvent) {
        guard let ownQueue else { return take(event) }
        ownQueue.deliver(through: ownQueue.append([.ownEvent(event, self)]))
    }

    /// Calls the observer with an event, or holds the event back.
    final func take(_ event: AnyEvent) {
        if let held, held.withLock({ $0?.append(event) }) != nil { return }
        call(event)
    }

    /// Calls the observer with the initial event, if there is one, and with the events held back.
    final func receiveInitial(_ event: AnyEvent?) {
        make { [self] in
            if let event { call(event) }
            for event in held?.withLock({ $0.take() }) ?? [] { call(event) }
        }
    }

    /// Ends the observation after the due calls.
    final func receiveEnd() { make(end) }

    /// Makes a call, or adds it to the observer's own queue.
    private final func make(_ call: @escaping @Sendable () -> Void) {
        guard let ownQueue else { return call() }
        ownQueue.append([call])
        ownQueue.deliverCalls()
    }

    /// Calls the closure with an event in an `EventBox`, unless the observation has ended.
    func call(_ event: AnyEvent) {
        preconditionFailure("The subclass must override call(_:).")
    }

    /// Ends the observation: no new call of the closure starts, and the closure is released.
    func end() {
        preconditionFailure("The subclass must override end().")
    }
}

/// An observer of events of one type.
final class Observer<Event: Sendable>: AnyObserver, @unchecked Sendable {
    // The slot is constant and thread-safe.

    private let slot: ObserverSlot<Event>

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - entity: The observed entity, if there is a single one.
    ///   - registration: The number of the observation.
    ///   - delivery: The delivery of the observation.
    ///   - holdsEvents: Whether events are held back until the initial event.
    ///   - body: The closure to call with each event.
    init(
        of entity: ObservedEntity? = nil,
        registration: UInt64,
        delivery: CacheDelivery = .inline,
        holdsEvents: Bool = false,
        _ body: @escaping @Sendable (Event) -> Void
    ) {
        slot = ObserverSlot(body)
        super.init(
            registration: registration,
            entity: entity,
            delivery: delivery,
            holdsEvents: holdsEvents
        )
    }

    override func call(_ event: AnyEvent) {
        slot.call(unsafeDowncast(event, to: EventBox<Event>.self).event)
    }

    override func end() { slot.end() }
}
