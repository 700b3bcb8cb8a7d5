/// A call that a delivery queue makes.
enum Notification: Sendable {
    /// Notifies an observer of an event, which is in a box of the observer's type.
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
