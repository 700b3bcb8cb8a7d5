/// An event, boxed as the observers expect it whatever its type.
typealias AnyEvent = any AnyObject & Sendable

/// The entity that an observer observes, and how.
struct ObservedEntity: Sendable {
    let key: CacheKey
    let following: RelationshipDepth
    /// Whether the observer receives the changed keys; finding them costs time.
    let wantsCauses: Bool
}

/// An observer, as commits and the delivery queue know it, whatever the type of its events.
class AnyObserver: @unchecked Sendable {
    // Constant, or safe by itself; so is the member of the subclass.

    /// Numbers the observations of a cache in the order in which they were registered.
    final let registration: UInt64
    /// The entity that it observes; `nil` if it observes no single one.
    private final let entity: ObservedEntity?
    /// The queue of an observation with a delivery of its own.
    final let ownQueue: DeliveryQueue?
    /// The events that are held back until the initial one has come; `nil` if none are.
    private final let held: Guarded<[AnyEvent]?>?

    fileprivate init(
        registration: UInt64,
        entity: ObservedEntity?,
        delivery: CacheDelivery,
        holdsEvents: Bool
    ) {
        self.registration = registration
        self.entity = entity
        ownQueue = delivery.runLater == nil ? nil : DeliveryQueue(delivery)
        held = holdsEvents ? Guarded([]) : nil
    }

    /// The entity that it observes, which there must be: the watch graph has no other observers.
    private final var observed: ObservedEntity {
        guard let entity else {
            preconditionFailure("An observer in the watch graph must observe an entity.")
        }
        return entity
    }

    final var key: CacheKey { observed.key }
    final var following: RelationshipDepth { observed.following }
    final var wantsCauses: Bool { observed.wantsCauses }

    /// Calls the observer with an event, or puts the call into the observer's own queue.
    final func receive(_ event: AnyEvent) {
        guard let ownQueue else { return take(event) }
        ownQueue.deliver(through: ownQueue.append([.ownEvent(event, self)]))
    }

    /// Calls the observer with an event, unless it's held back.
    final func take(_ event: AnyEvent) {
        if let held, held.withLock({ $0?.append(event) }) != nil { return }
        call(event)
    }

    /// Calls the observer with the initial event, if there is one, and with those that were held back.
    final func receiveInitial(_ event: AnyEvent?) {
        make { [self] in
            if let event { call(event) }
            for event in held?.withLock({ $0.take() }) ?? [] { call(event) }
        }
    }

    /// Ends the observation after the calls that are due.
    final func receiveEnd() { make(end) }

    /// Makes a call, or puts it into the observer's own queue.
    private final func make(_ call: @escaping @Sendable () -> Void) {
        guard let ownQueue else { return call() }
        ownQueue.append([call])
        ownQueue.deliverCalls()
    }

    /// Calls the closure with an event, which must come in an `EventBox`, unless the observation has
    /// ended.
    func call(_ event: AnyEvent) {
        preconditionFailure("The subclass must override call(_:).")
    }

    /// Ends the observation: no new call of the closure starts, and it is released.
    func end() {
        preconditionFailure("The subclass must override end().")
    }
}

/// An observer of events of one type.
final class Observer<Event: Sendable>: AnyObserver, @unchecked Sendable {
    // Constant, and safe by itself.

    private let slot: ObserverSlot<Event>

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - entity: The entity that it observes, if it observes a single one.
    ///   - registration: The number of the observation.
    ///   - delivery: The delivery of the observation.
    ///   - holdsEvents: Whether events are held back until the initial one has come.
    ///   - body: Called with each event.
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
