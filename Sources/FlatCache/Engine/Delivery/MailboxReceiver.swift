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
