#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import FlatCache

/// A subscriber whose demand the test controls.
///
/// It records its inputs and violations of the subscriber's contract.
final class ManualSubscriber<Input: Sendable>: Subscriber, Sendable {
    typealias Failure = Never

    private struct State {
        var subscription: (any Subscription)?
        var inputs: [Input] = []
        var hasFinished = false
        var isInside = false
        var breaches: [String] = []

        mutating func enter(_ call: String) {
            if isInside { breaches.append("\(call) during another call") }
            if hasFinished { breaches.append("\(call) after the completion") }
            isInside = true
        }
    }

    private let state = Locked(State())
    private let onSubscription: @Sendable (ManualSubscriber) -> Void
    private let onInput: @Sendable (ManualSubscriber, Input) -> Subscribers.Demand
    private let onCompletion: @Sendable () -> Void

    /// Creates a subscriber that runs a closure in each call.
    ///
    /// Its initial demand is zero.
    init(
        _ onInput: @escaping @Sendable (ManualSubscriber, Input) -> Subscribers.Demand = { _, _ in
            .none
        },
        onSubscription: @escaping @Sendable (ManualSubscriber) -> Void = { _ in },
        onCompletion: @escaping @Sendable () -> Void = {}
    ) {
        self.onSubscription = onSubscription
        self.onInput = onInput
        self.onCompletion = onCompletion
    }

    var inputs: [Input] { state.withLock { $0.inputs } }
    var hasFinished: Bool { state.withLock { $0.hasFinished } }
    /// The calls that violate the contract of publishers.
    var breaches: [String] { state.withLock { $0.breaches } }

    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.subscription }?.request(demand)
    }

    func cancel() { state.withLock { $0.subscription }?.cancel() }

    /// Releases the subscription without cancelling it.
    func forgetSubscription() {
        let subscription = state.withLock { state in
            defer { state.subscription = nil }
            return state.subscription
        }
        withExtendedLifetime(subscription) {}
    }

    func receive(subscription: any Subscription) {
        state.withLock { state in
            state.enter("receive(subscription:)")
            if state.subscription != nil { state.breaches.append("a second subscription") }
            state.subscription = subscription
        }
        onSubscription(self)
        leave()
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        state.withLock { state in
            state.enter("receive(_:)")
            state.inputs.append(input)
        }
        defer { leave() }
        return onInput(self, input)
    }

    func receive(completion: Subscribers.Completion<Never>) {
        state.withLock { state in
            state.enter("receive(completion:)")
            state.hasFinished = true
        }
        onCompletion()
        leave()
    }

    private func leave() { state.withLock { $0.isInside = false } }
}

extension ManualSubscriber<Book?> {
    /// The revisions of the received books, or `nil` for each absent book.
    var revisions: [Int?] { inputs.map { $0?.revision } }
}

#endif
