/// A box for an event, which all observers of the event share.
///
/// The delivery queue holds boxes, whatever the types of their events.
package final class EventBox<Event: Sendable>: Sendable {
    package let event: Event

    package init(_ event: Event) {
        self.event = event
    }
}
