/// Someone whom commits are told of, whatever it is that they observe and are told.
class AnyRecipient: @unchecked Sendable {
    // Constant here, so nothing guards it; what subclasses add is constant or safe by itself.

    /// Numbers the observations of a cache in the order in which they were made.
    final let registration: UInt64
    /// The line of an observation with a delivery of its own.
    private final let line: DeliveryLine?

    init(registration: UInt64, delivery: Delivery) {
        self.registration = registration
        line = delivery.runLater == nil ? nil : DeliveryLine(delivery)
    }

    /// Makes a call that is due to this recipient, or puts it into the recipient's own line.
    final func deliver(_ item: Outbox.Item) {
        guard let line else { return make(item) }
        line.append([item])
        line.deliver { [self] in make($0) }
    }

    private final func make(_ item: Outbox.Item) {
        switch item {
        case .event(let event, _): call(event)
        case .end: end()
        case .completion(let completion): completion()
        }
    }

    /// Calls the observer with an event, boxed as it was for this recipient, unless the observation
    /// has ended.
    func call(_ event: AnyObject) {
        preconditionFailure("call(_:) must be overridden by each kind of recipient.")
    }

    /// Ends the observation: no new call of the observer starts, and it is released.
    func end() {
        preconditionFailure("end() must be overridden by each kind of recipient.")
    }

    /// Takes an observation that has ended out of what commits look at, under the writers' lock.
    func leave(_ writer: Writer) {
        preconditionFailure("leave(_:) must be overridden by each kind of recipient.")
    }
}
