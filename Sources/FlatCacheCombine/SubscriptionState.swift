#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import FlatCache

/// What a subscriber has asked for, and what is there for it.
///
/// A plain value; whoever keeps it under a lock does what the results say, outside: an event is to be
/// sent by whoever gets it, who then asks for the next. Until there is none, nobody else gets one.
struct SubscriptionState<Output: Sendable> {
    /// What a subscriber is sent.
    enum Event {
        case value(Output)
        case finished
    }

    /// What to let go of after a subscription's end, outside the lock.
    struct Remains {
        let observation: Disposable?
        let pending: [Output?]
    }

    /// What ends the observation.
    var observation: Disposable?
    private var demand = Subscribers.Demand.none
    /// What has not been sent: the newest value or all of them.
    private var pending: Mailbox<Output>
    /// Whether nothing will come any more.
    private var hasEnded = false
    /// Whether nothing will be sent any more.
    private var isOver = false
    /// Whether somebody is sending; at first, whoever hands the subscription over.
    private var isSending = true

    /// - Parameter policy: What is kept for a subscriber that has not asked for it yet.
    init(_ policy: BufferingPolicy = .newest(1)) {
        pending = Mailbox(policy)
    }

    /// Puts a value in, if need be in the place of one that has not been sent, which is returned, so that
    /// it can be released outside the lock.
    mutating func put(_ output: Output) -> (event: Event?, displaced: Output?) {
        if isOver { return (nil, nil) }
        let displaced = pending.put(output).displaced
        return (nextIfIdle(), displaced)
    }

    /// Adds to what the subscriber has asked for.
    mutating func request(_ more: Subscribers.Demand) -> Event? {
        demand += more
        return nextIfIdle()
    }

    /// Lets nothing more in; what is there is still to be sent.
    mutating func end() -> Event? {
        hasEnded = true
        return nextIfIdle()
    }

    /// The next event, for who is sending; without one it no longer is.
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

    /// Lets nothing more out.
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
