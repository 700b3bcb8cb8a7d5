#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// A subscriber of any type that may be called on any thread.
struct SubscriberReference<Input>: @unchecked Sendable {
    // The subscription guards the closures by making one call at a time. A subscriber may expect no
    // more of a publisher.

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
