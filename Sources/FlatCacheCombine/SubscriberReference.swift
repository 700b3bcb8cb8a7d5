#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// A subscriber of any type, to be called on whatever thread.
struct SubscriberReference<Input>: @unchecked Sendable {
    // Guarded by the subscription, which makes one call at a time: that is all that a subscriber may
    // expect of a publisher.

    private let receiveInput: (Input) -> Subscribers.Demand
    private let receiveCompletion: (Subscribers.Completion<Never>) -> Void

    init<Downstream: Subscriber>(_ subscriber: Downstream)
    where Downstream.Input == Input, Downstream.Failure == Never {
        receiveInput = subscriber.receive
        receiveCompletion = subscriber.receive(completion:)
    }

    func receive(_ input: Input) -> Subscribers.Demand { receiveInput(input) }

    func finish() { receiveCompletion(.finished) }
}

#endif
