/// Elements on their way to one consumer, which waits for them if there are none.
///
/// A plain value; whoever keeps it under a lock does what the results say, outside.
package struct Mailbox<Element: Sendable> {
    package typealias Waiter = UnsafeContinuation<Element?, Never>

    /// A consumer that waits no longer.
    package struct Wakening {
        let waiter: Waiter
        let element: Element?

        package func callAsFunction() { waiter.resume(returning: element) }
    }

    private let policy: BufferingPolicy
    /// What has come and not been taken, after `taken` places of what has.
    private var elements: [Element?] = []
    private var taken = 0
    private var waiter: Waiter?
    /// Whether nothing will come any more.
    private(set) var hasEnded = false

    package init(_ policy: BufferingPolicy) {
        precondition(
            policy.limit > 0,
            "A sequence cannot be buffered as \(policy): give it room for one element or more."
        )
        self.policy = policy
    }

    /// How many elements are there to be taken.
    package var count: Int { elements.count - taken }

    /// Puts an element in, unless the mailbox has ended or is full.
    ///
    /// - Returns: The consumer that has waited for it, if there is one, and the element that had to
    ///   make room. Releasing an element may run code of a user's.
    package mutating func put(_ element: Element) -> (wakening: Wakening?, displaced: Element?) {
        if hasEnded { return (nil, nil) }
        if let waiter = waiter.take() {
            return (Wakening(waiter: waiter, element: element), nil)
        }
        var displaced: Element?
        if count == policy.limit {
            if case .oldest = policy { return (nil, nil) }
            displaced = take()
        }
        elements.append(element)
        return (nil, displaced)
    }

    /// Takes the oldest element out, if there is one.
    package mutating func take() -> Element? {
        guard taken < elements.count else { return nil }
        let element = elements[taken].take()
        taken += 1
        if taken * 2 >= elements.count {
            elements.removeFirst(taken)
            taken = 0
        }
        return element
    }

    /// Takes the oldest element for a consumer, or keeps the consumer until there is one.
    mutating func wait(_ waiter: Waiter) -> Wakening? {
        if let element = take() { return Wakening(waiter: waiter, element: element) }
        if hasEnded { return Wakening(waiter: waiter, element: nil) }
        precondition(
            self.waiter == nil,
            """
            Two tasks await the next element of one iterator. Give each a sequence's iterator of \
            its own.
            """
        )
        self.waiter = waiter
        return nil
    }

    /// Lets nothing more in; what is there can still be taken.
    package mutating func end() -> Wakening? {
        hasEnded = true
        return waiter.take().map { Wakening(waiter: $0, element: nil) }
    }

    /// Ends and gives up what is there.
    package mutating func cancel() -> (wakening: Wakening?, displaced: [Element?]) {
        let displaced = elements
        elements = []
        taken = 0
        return (end(), displaced)
    }
}
