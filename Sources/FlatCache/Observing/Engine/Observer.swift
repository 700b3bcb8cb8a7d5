import Synchronization

/// An event of any type in a box that all observers accept.
@usableFromInline
package typealias AnyEvent = any AnyObject & Sendable

/// The entity that an observer observes, and the options of the observation.
package struct ObservedEntity: Sendable {
    let key: CacheKey
    let following: RelationshipDepth
    /// `true` if the observer receives the changed keys.
    ///
    /// Finding them takes time.
    let wantsCauses: Bool
}

/// An observer of events of one type that only its creator knows.
package final class Observer: Sendable {
    /// The number of the observation, in the order in which a cache's observations were registered,
    /// or zero if the observer doesn't observe a cache.
    let registration: UInt64
    /// The observed entity, or `nil` if the observer doesn't observe a single entity.
    private let entity: ObservedEntity?
    /// The queue of an observation with its own delivery.
    let ownQueue: DeliveryQueue?
    /// The events that are held back until the initial event arrives, or `nil` if none are.
    private let held: Locked<[AnyEvent]?>?
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

    /// The observed entity; every observer in the watch graph has one.
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

/// A slot that holds an observer until its observation ends.
package final class ObserverSlot<Event>: @unchecked Sendable {
    // `lock` guards `observer`; all other properties are constant or atomic, except the closures of
    // tests.

    package typealias Body = @Sendable (Event) -> Void

    private let lock = Lock()
    @exclusivity(unchecked) private var observer: Body?
    /// `true` if a thread has fetched the observer and not called it yet.
    ///
    /// It's set under `lock`, by one thread at a time, since the calls of an observation are made
    /// one at a time.
    private let isStarting = Atomic<Bool>(false)

    #if TestHooks
    // Tests set these closures before other threads use the slot.

    /// A closure that is called between the fetch of the observer and its call.
    package var onFetch: @Sendable () -> Void = {}
    /// A closure that is called whenever `end()` finds that a call is starting.
    package var onWait: @Sendable () -> Void = {}
    #endif

    package init(_ observer: @escaping Body) {
        self.observer = observer
    }

    /// Calls the observer, unless the observation has ended.
    package func call(_ event: Event) {
        // The observer is called and released outside the lock, since it may end its own
        // observation.
        lock.acquire()
        let current = observer
        isStarting.store(current != nil, ordering: .relaxed)
        lock.release()
        guard let current else { return }
        #if TestHooks
        onFetch()
        #endif
        isStarting.store(false, ordering: .releasing)
        current(event)
    }

    /// Ends the observation: no new call of the observer starts, and the observer is released.
    package func end() {
        lock.acquire()
        let ended = observer.take()
        lock.release()
        // A thread that has just fetched the observer starts its call now. This thread waits for
        // it, so that no call starts after this method has returned. The wait is short: the other
        // thread runs no user code before the call.
        while isStarting.load(ordering: .acquiring) {
            #if TestHooks
            onWait()
            #endif
            yieldToOtherThreads()
        }
        withExtendedLifetime(ended) {}
    }
}

/// A wrapper that passes an actor-isolated closure through code that isn't isolated.
struct IsolatedBody<Argument>: @unchecked Sendable {
    // The actor guards the closure: the closure is created and called only there. The closure may
    // be released on any thread, like everything that a `@Sendable` closure captures. The methods
    // that accept the closure document this.

    private let body: (Argument) -> Void
    /// Weak, since the actor may hold the token of the observation that holds this value.
    private weak var actor: (any Actor)?

    init(of actor: (any Actor)?, _ body: @escaping (Argument) -> Void) {
        self.actor = actor
        self.body = body
    }

    /// Calls the closure, unless its actor has been deallocated.
    ///
    /// Must be called on the actor that created the closure, or after that actor's deallocation.
    func callAsFunction(_ argument: Argument) {
        if actor != nil { body(argument) }
    }
}

/// A box for an event, shared by all observers of the event.
///
/// The delivery queue holds boxes of events of all types.
@usableFromInline
package final class EventBox<Event: Sendable>: Sendable {
    @usableFromInline let event: Event

    @inlinable
    package init(_ event: Event) {
        self.event = event
    }

    /// Calls a closure with the event.
    ///
    /// The method isn't inlined, so that it finds the event's type in the box. Looking up the type
    /// at each call took a twelfth of the time of a commit with a thousand observers.
    @inline(never)
    func send(to body: (Event) -> Void) { body(event) }
}

/// A call that a delivery queue makes.
enum Notification: Sendable {
    /// Notifies an observer of an event in a box of the observer's type.
    case event(AnyEvent, Observer)
    /// Notifies an observer of an event from the observer's own queue.
    case ownEvent(AnyEvent, Observer)
    /// Notifies an observer of its initial event, if there is one, and then of the events that it
    /// has held back.
    case initialEvent(AnyEvent?, Observer)
    /// Calls a closure.
    case action(@Sendable () -> Void)
    /// Ends an observation, because its cache no longer exists.
    case end(Observer)

    func make() {
        switch self {
        case .event(let event, let observer): observer.receive(event)
        case .ownEvent(let event, let observer): observer.take(event)
        case .initialEvent(let event, let observer): observer.receiveInitial(event)
        case .action(let action): action()
        case .end(let observer): observer.receiveEnd()
        }
    }
}
