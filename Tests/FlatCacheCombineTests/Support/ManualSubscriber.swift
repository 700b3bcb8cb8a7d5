#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import FlatCache

/// A subscriber that asks for as much as a test lets it, and notes what it gets and what it should
/// not have got.
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

    /// Creates a subscriber that does something in each call; at first it asks for nothing.
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
    /// The calls that a publisher must not make.
    var breaches: [String] { state.withLock { $0.breaches } }

    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.subscription }?.request(demand)
    }

    func cancel() { state.withLock { $0.subscription }?.cancel() }

    /// Lets go of the subscription without a word.
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
    /// The revisions of the books that have come; `nil` where there was none.
    var revisions: [Int?] { inputs.map { $0?.revision } }
}

#endif
