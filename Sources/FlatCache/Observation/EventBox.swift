/// An event, as the queue of calls holds it whatever its type; shared by all whom it is told to.
final class EventBox<Event: Sendable>: Sendable {
    let event: Event

    init(_ event: Event) {
        self.event = event
    }
}
