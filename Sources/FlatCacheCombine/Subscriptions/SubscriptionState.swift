#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import FlatCache

/// The demand of a subscriber, and the values that are available for it.
///
/// A plain value without locks. Its owner keeps it under a lock and acts on the results outside.
/// The thread that receives an event sends it and then asks for the next one. Until there is none,
/// no other thread receives an event.
struct SubscriptionState<Output: Sendable> {
    enum Event {
        case value(Output)
        case finished
    }

    /// The objects to release outside the lock after the end of a subscription.
    struct Remains {
        let observation: Disposable?
        let pending: [Output?]
    }

    var observation: Disposable?
    private var demand = Subscribers.Demand.none
    /// The values that haven't been sent: the newest one or all of them.
    private var pending: Mailbox<Output>
    /// `true` if no more values arrive.
    private var hasEnded = false
    /// `true` if no more events are sent.
    private var isOver = false
    /// `true` if a thread is sending, at first the subscribing thread.
    private var isSending = true

    /// Creates a state without demand.
    ///
    /// - Parameter policy: The policy for values that the subscriber hasn't demanded yet.
    init(_ policy: BufferingPolicy = .newest(1)) {
        pending = Mailbox(policy)
    }

    /// Adds a value, replacing an unsent value if necessary.
    ///
    /// - Returns: The event to send, if there is one, and the replaced value. Release the replaced
    ///   value outside the lock.
    mutating func put(_ output: Output) -> (event: Event?, displaced: Output?) {
        if isOver { return (nil, nil) }
        let displaced = pending.put(output).displaced
        return (nextIfIdle(), displaced)
    }

    /// Adds to the subscriber's demand.
    mutating func request(_ more: Subscribers.Demand) -> Event? {
        demand += more
        return nextIfIdle()
    }

    /// Ends the input: no more values arrive, but the available ones are still sent.
    mutating func end() -> Event? {
        hasEnded = true
        return nextIfIdle()
    }

    /// Returns the next event for the sending thread, or `nil` to make it stop sending.
    mutating func next() -> Event? {
        isSending = false
        if isOver { return nil }
        if pending.count > 0 {
            guard demand > .none, let output = pending.take() else { return nil }
            demand -= 1
            isSending = true
            return .value(output)
        }
        guard hasEnded else { return nil }
        isOver = true
        isSending = true
        return .finished
    }

    /// Ends the output: no more events are sent.
    mutating func cancel() -> Remains {
        defer {
            isOver = true
            observation = nil
        }
        return Remains(observation: observation, pending: pending.cancel().displaced)
    }

    private mutating func nextIfIdle() -> Event? { isSending ? nil : next() }
}

#endif
