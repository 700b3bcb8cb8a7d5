/// A buffer of elements for one consumer that waits if the buffer is empty.
///
/// A plain value without locks. Its owner keeps it under a lock and acts on the results outside.
package struct Mailbox<Element: Sendable> {
    package typealias Waiter = UnsafeContinuation<Element?, Never>

    /// A consumer to resume, and the element that it receives.
    package struct Resumption {
        let waiter: Waiter
        let element: Element?

        package func callAsFunction() { waiter.resume(returning: element) }
    }

    private let policy: BufferingPolicy
    /// The elements.
    ///
    /// The first `taken` of them have been taken and replaced by `nil`.
    private var elements: [Element?] = []
    private var taken = 0
    private var waiter: Waiter?
    private(set) var hasEnded = false

    package init(_ policy: BufferingPolicy) {
        precondition(
            policy.limit > 0,
            "A sequence cannot be buffered as \(policy): use a limit of one or more."
        )
        self.policy = policy
    }

    /// The number of elements that can be taken.
    package var count: Int { elements.count - taken }

    /// Adds an element, unless the mailbox has ended or drops new elements because it's full.
    ///
    /// - Returns: The consumer that was waiting for the element, if there is one, and the element
    ///   that was displaced. Release the displaced element outside the lock, since that may run
    ///   user code.
    package mutating func put(_ element: Element) -> (resumption: Resumption?, displaced: Element?)
    {
        if hasEnded { return (nil, nil) }
        if let waiter = waiter.take() {
            return (Resumption(waiter: waiter, element: element), nil)
        }
        var displaced: Element?
        if count == policy.limit {
            if case .oldest = policy { return (nil, nil) }
            displaced = take()
        }
        elements.append(element)
        return (nil, displaced)
    }

    /// Removes and returns the oldest element, if there is one.
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

    /// Hands the oldest element to a consumer, or keeps the consumer until an element arrives.
    mutating func wait(_ waiter: Waiter) -> Resumption? {
        if let element = take() { return Resumption(waiter: waiter, element: element) }
        if hasEnded { return Resumption(waiter: waiter, element: nil) }
        precondition(
            self.waiter == nil,
            """
            Two tasks await the next element of one iterator. Create an iterator for each task.
            """
        )
        self.waiter = waiter
        return nil
    }

    /// Ends the mailbox: it accepts no more elements, but the remaining ones can still be taken.
    package mutating func end() -> Resumption? {
        hasEnded = true
        return waiter.take().map { Resumption(waiter: $0, element: nil) }
    }

    /// Ends the mailbox and removes its elements.
    package mutating func cancel() -> (resumption: Resumption?, displaced: [Element?]) {
        let displaced = elements
        elements = []
        taken = 0
        return (end(), displaced)
    }
}

/// The observer's end of a mailbox.
///
/// The mailbox ends when the sender is deallocated because the observation has ended.
package final class MailboxSender<Element: Sendable>: Sendable {
    private let mailbox: Locked<Mailbox<Element>>

    init(to mailbox: Locked<Mailbox<Element>>) {
        self.mailbox = mailbox
    }

    deinit { mailbox.withLock { $0.end() }?() }

    package func send(_ element: Element) { mailbox.withLock { $0.put(element) }.resumption?() }
}

/// The consumer's end of a mailbox.
///
/// The observation ends when the receiver is deallocated or the consumer's task is cancelled.
final class MailboxReceiver<Element: Sendable>: Sendable {
    private let mailbox: Locked<Mailbox<Element>>
    private let observation: Disposable

    /// Creates a receiver and begins the observation that fills its mailbox.
    init(
        _ policy: BufferingPolicy,
        observe: (MailboxSender<Element>) -> Disposable
    ) {
        mailbox = Locked(Mailbox(policy))
        observation = observe(MailboxSender(to: mailbox))
    }

    deinit { cancel() }

    /// Returns the oldest element as soon as there is one, or `nil` when the mailbox has ended.
    func next(isolation: isolated (any Actor)?) async -> Element? {
        await withTaskCancellationHandler(
            operation: {
                await withUnsafeContinuation(isolation: isolation) { waiter in
                    mailbox.withLock { $0.wait(waiter) }?()
                }
            },
            onCancel: { cancel() },
            isolation: isolation
        )
    }

    private func cancel() {
        mailbox.withLock { $0.cancel() }.resumption?()
        observation.dispose()
    }
}
