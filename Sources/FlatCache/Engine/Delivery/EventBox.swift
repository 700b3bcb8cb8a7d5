/// A box for an event, which all observers of the event share.
///
/// The delivery queue holds boxes, whatever the types of their events.
final class EventBox<Event: Sendable>: Sendable {
    let event: Event

    init(_ event: Event) {
        self.event = event
    }
}
